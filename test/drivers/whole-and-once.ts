import { strict as assert } from 'node:assert'
import { createPublicClient, erc20Abi, type Hex, http, parseUnits } from 'viem'
import type { Account } from '../world.ts'
import type { TradeStore } from './trade-store.ts'

type Found = {
  store: TradeStore
  /** Every key that the account ever sent, each for a trade of the same amount of WETH. */
  keys: readonly string[]
  hashes: ReadonlyMap<string, string>
  ada: Account
  rpc: string
  amount: string
}

/**
 * Checks that every key is one trade that was mined once, that the account's nonces have no gap, and that the books
 * equal the chain to the last unit. Returns how many transactions the trades took.
 */
export async function expectWholeAndOnce({ store, keys, hashes, ada, rpc, amount }: Found) {
  const trades = store.trades(ada.wallet)
  assert.deepEqual(trades.map((trade) => trade.idempotency_key).toSorted(), keys.toSorted())
  assert.deepEqual(
    trades.filter(({ amount_out }) => amount_out === null),
    [],
  )
  assert.equal(new Set(hashes.values()).size, keys.length)
  const legs = store.legs(ada.wallet)
  const swaps = legs.filter(({ kind, outcome }) => kind === 'swap' && outcome === 'success')
  const perTrade = [...Map.groupBy(swaps, ({ reference }) => reference).values()].map(({ length }) => length)
  assert.deepEqual(perTrade, Array(keys.length).fill(1))

  const chain = createPublicClient({ transport: http(rpc) })
  const wallet = ada.wallet as Hex
  const [latest, pending] = await Promise.all([
    chain.getTransactionCount({ address: wallet, blockTag: 'latest' }),
    chain.getTransactionCount({ address: wallet, blockTag: 'pending' }),
  ])
  const nonces = legs.flatMap(({ nonce }) => (nonce === null ? [] : [nonce]))
  assert.deepEqual(
    nonces,
    Array.from({ length: latest }, (_, index) => index),
  )
  assert.equal(pending, latest)

  const held = (token: string) =>
    chain.readContract({ address: token as Hex, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const spent = parseUnits(amount, 18) * BigInt(keys.length)
  assert.equal(await held(ada.address('WETH')), parseUnits('5', 18) - spent)
  for (const symbol of ['WETH', 'USDC', 'WBTC'])
    assert.equal(store.booked(wallet, ada.address(symbol)), await held(ada.address(symbol)), symbol)
  assert.equal(store.booked(wallet, `0x${'00'.repeat(20)}`), await chain.getBalance({ address: wallet }), 'native')
  return { transactions: latest }
}
