import { type Client, output } from '../../../test/clients/client.ts'
import { untilDecided } from '../../../test/drivers/until-decided.ts'
import { type Account, fundedAccount } from '../../../test/world.ts'

const openedAtOnce = 8

/** Opens `count` accounts whose wallets have money. */
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
  const order = account.trade('WETH', 'USDC', '0.001', key)
  const decided = await untilDecided(() => output(client.call('trading.execute', order, account.token)))
  if (decided?.status !== 'success') throw new Error(`A trade is ${decided?.status}: ${decided?.message}`)
}
