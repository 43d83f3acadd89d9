import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { output } from '../clients/client.ts'
import type { Account, World } from '../world.ts'

/** What a wallet holds on the chain: native currency, every listed token, and how many transactions it has sent. */
export type Holdings = Record<string, string>

/** An account's money: the holdings of its wallets by address, its books, and the trades that do not wait for it. */
export type Money = { holdings: Record<string, Holdings>; books: unknown; traded: unknown }

/** What a snapshot needs of an account. */
type Owner = Pick<Account, 'token'>

/** The holdings as the engine of the chain has them, not as the gateway says, all of them at its newest block. */
export async function holdingsOf(world: World, wallet: string, tokens: readonly string[]): Promise<Holdings> {
  const ask = async (method: string, params: unknown[]) => String(await world.askChain(method, params))
  const block = await ask('eth_blockNumber', [])
  const holder = wallet.slice(2).toLowerCase().padStart(64, '0')
  const held: Holdings = {
    native: await ask('eth_getBalance', [wallet, block]),
    sent: await ask('eth_getTransactionCount', [wallet, block]),
    pending: await ask('eth_getTransactionCount', [wallet, 'pending']),
  }
  for (const to of tokens) held[to] = await ask('eth_call', [{ to, data: `0x70a08231${holder}` }, block])
  return held
}

/** The addresses of every token that the account can trade. */
export async function tokensOf(world: World, { token }: Owner): Promise<string[]> {
  const chains = await output(world.clients.rest.call('trading.listChains', {}, token))
  const listed: { address: string }[] = chains.flatMap(({ tokens }: { tokens: object[] }) => tokens)
  return listed.map(({ address }) => address).filter((address) => !/^0x0+$/.test(address))
}

export async function moneyOf(world: World, owner: Owner, wallets: readonly string[]): Promise<Money> {
  const tokens = await tokensOf(world, owner)
  const held = await Promise.all(wallets.map(async (each) => [each, await holdingsOf(world, each, tokens)] as const))
  const positions: Position[] = await output(world.clients.rest.call('metrics.positions', {}, owner.token))
  const traded = (await executionsOf(world, owner)).filter((one) => !hasWaited(one))
  return {
    holdings: Object.fromEntries(held),
    books: positions
      .filter(({ wallet_address }) => wallets.includes(wallet_address))
      .map(({ wallet_address, token_symbol, quantity_decimal }) => [wallet_address, token_symbol, quantity_decimal]),
    // The finality of their blocks changes by itself.
    traded: traded.map(({ execution_id, status, tx_hash, fill }) => [execution_id, status, tx_hash, fill?.amount_out]),
  }
}

/** A trade that waits, or was declined. */
export const hasWaited = ({ state }: Execution) => state === 'awaiting_confirmation' || state === 'rejected'

type Position = { wallet_address: string; token_symbol: string; quantity_decimal: string }

export type Execution = {
  execution_id: string
  idempotency_key: string
  state: string
  status: string
  tx_hash?: string
  token_in_address: string
  amount_in: string
  fill?: { amount_out: string }
}

/** Every execution of the account. */
export async function executionsOf(world: World, { token }: Owner): Promise<Execution[]> {
  const all: Execution[] = []
  let cursor: string | null = null
  do {
    const input = { limit: 100, ...(cursor === null ? {} : { cursor }) }
    const page: { items: Execution[]; next_cursor: string | null } = await output(
      world.clients.rest.call('trading.listExecutions', input, token),
    )
    all.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null && cursor !== '')
  return all
}

/**
 * Declines what waits for the owner every moment until disposed of, but for one, so that the bound on what waits hides no
 * road to money.
 */
export function declining(world: World, owner: Owner & { userToken: string }, keep = ''): AsyncDisposable {
  const ending = new AbortController()
  const { rest } = world.clients
  const decline = async () => {
    while (!ending.signal.aborted) {
      const { items } = await output(
        rest.call('trading.listExecutions', { state: 'awaiting_confirmation' }, owner.token),
      )
      for (const { execution_id } of items as Execution[])
        if (execution_id !== keep)
          await rest.call('trading.confirmExecution', { execution_id, approve: false }, owner.userToken)
      await sleep(50)
    }
  }
  const declined = decline()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await declined
    },
  }
}

/**
 * Fails where money has moved or a trade was begun that does not wait for the account. Waits for two more blocks first, as
 * a transaction that was sent may still be on its way. Returns how many trades wait, or waited.
 */
export async function expectUnmoved(world: World, owner: Owner, before: Money): Promise<number> {
  const height = async () => Number(await world.askChain('eth_blockNumber', []))
  const from = await height()
  await expect.poll(height).toBeGreaterThan(from + 1)
  expect(await moneyOf(world, owner, Object.keys(before.holdings))).toEqual(before)
  return (await executionsOf(world, owner)).filter(hasWaited).length
}
