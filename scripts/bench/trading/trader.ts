import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, output } from '../../../test/clients/client.ts'
import { type Account, fundedAccount } from '../../../test/world.ts'

const openedAtOnce = 8

/** So many accounts whose wallets have money. */
export async function openAccounts(client: Client, count: number): Promise<Account[]> {
  const accounts: Account[] = []
  while (accounts.length < count) {
    const more = Math.min(openedAtOnce, count - accounts.length)
    accounts.push(...(await Promise.all(Array.from({ length: more }, () => fundedAccount(client)))))
  }
  return accounts
}

/** Makes a trade that must succeed; its wait for a block is in it. */
export async function trade(client: Client, account: Account): Promise<void> {
  const key = crypto.randomUUID()
  const ask = () => client.call('trading.execute', account.trade('WETH', 'USDC', '0.001', key), account.token)
  let answer = await output(ask())
  // The same key again returns the present state of the same trade.
  for (; answer.status === 'pending'; answer = await output(ask())) await sleep(200)
  if (answer.status !== 'success') throw new Error(`A trade is ${answer.status}: ${answer.message}`)
}
