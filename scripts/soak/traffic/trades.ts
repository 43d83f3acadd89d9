import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { parseUnits } from 'viem'
import type { Client, Protocol } from '../../../test/clients/client.ts'
import { openTradeStore } from '../../../test/drivers/trade-store.ts'
import { untilDecided } from '../../../test/drivers/until-decided.ts'
import { expectWholeAndOnce } from '../../../test/drivers/whole-and-once.ts'
import { type Account, fundedAccount, protocols } from '../../../test/world.ts'
import { cutCall } from '../cut-call.ts'
import {
  ask,
  cutShort,
  follow,
  type Numbers,
  type SoakWorld,
  sentNow,
  steadily,
  type Traffic,
  type Work,
} from '../world.ts'

const amount = '0.002'
const decisionMs = 120_000
const askedAfterKill = 50

type Trade = { key: string; order: object; hash?: string; received?: bigint }

/** A trader with all its orders; `usdcAtFirst` is its balance in the books before. */
type Trader = { name: string; account: Account; numbers: Numbers; usdcAtFirst: bigint; trades: Trade[] }

/**
 * A trader: each trade is quoted, simulated, and ordered twice concurrently over two protocols, or cut and ordered
 * again.
 */
export function trader(name: string): Traffic {
  return { name, pauseMs: 1_500, begin: (world, numbers) => beginTrading(name, world, numbers) }
}

async function beginTrading(name: string, world: SoakWorld, numbers: Numbers): Promise<Work> {
  const account = await fundedAccount(world.clients[numbers.one(protocols)])
  const one: Trader = { name, account, numbers, usdcAtFirst: await held(world, account, 'USDC'), trades: [] }
  const { token } = account
  return {
    async round() {
      await trade(world, one)
      await readBooks(world, world.clients[numbers.one(protocols)], token)
    },
    settled: () => expectTrueBooks(world, one),
    async restarted(again) {
      for (const { key, order, hash } of one.trades.slice(-askedAfterKill)) {
        const answer = await decided(again, again.clients[numbers.one(protocols)], order, token)
        assert.equal(answer.tx_hash, hash, `${key} after the kill`)
      }
    },
  }
}

async function trade(world: SoakWorld, { name, account, numbers: { one, random }, trades }: Trader): Promise<void> {
  const { token } = account
  const [client, other] = [world.clients[one(protocols)], world.clients[one(protocols)]]
  const swap = account.swap('WETH', 'USDC', amount)
  await ask(world, { client, id: 'trading.quote', input: { input: swap }, token })
  await ask(world, { client, id: 'trading.execute', input: { input: swap, wallet_ref: 'default' }, token })
  const key = `${name}-${trades.length}`
  const made: Trade = { key, order: account.trade('WETH', 'USDC', amount, key, { skip_risk: random() < 0.5 }) }
  trades.push(made)
  if (random() < 0.3) await cutCall(world, client.protocol, 'trading.execute', made.order, token, random() * 40)
  const [first, second] = await Promise.all([client, other].map((by) => decided(world, by, made.order, token)))
  if (first.status !== 'success' || first.tx_hash !== second.tx_hash || first.execution_id !== second.execution_id)
    world.outcomes.broken(`${key} sent twice is ${JSON.stringify(first)} and ${JSON.stringify(second)}`)
  note(made, first)
  const input = { execution_id: first.execution_id }
  let last: { status?: string } | undefined
  for await (const event of follow(world, { client: other, id: 'trading.watchExecution', input, token })) last = event
  if (last?.status !== 'success') world.outcomes.broken(`${key} was watched to ${last?.status}`)
}

function note(made: Trade, answer: { tx_hash: string; amount_out: string }): void {
  made.hash = answer.tx_hash
  made.received = parseUnits(answer.amount_out, 6)
}

/** Every decided trade is complete and exactly once on the chain, and the books hold nothing else. */
async function expectTrueBooks(world: SoakWorld, { account, usdcAtFirst, trades }: Trader): Promise<void> {
  const { token } = account
  assert.ok(trades.length > 0, 'nothing was traded')
  for (const made of trades.filter(({ hash }) => hash === undefined))
    note(made, await decided(world, world.clients.rest, made.order, token))
  const store = openTradeStore(join(world.dataDir, 'trident.sqlite'))
  try {
    await steadily(async () => assert.deepEqual(store.underWay(), []))
    const keys = trades.map(({ key }) => key)
    const hashes = new Map(trades.map(({ key, hash }) => [key, hash ?? 'none']))
    await expectWholeAndOnce({ store, keys, hashes, ada: account, rpc: world.gateway.urls.rpc, amount })
  } finally {
    store.close()
  }
  const sum = trades.reduce((total, { received }) => total + (received ?? 0n), 0n)
  assert.equal((await held(world, account, 'USDC')) - usdcAtFirst, sum, 'the position is the start and all fills')
  // Nothing changes any more, so all protocols return the same.
  for (const id of ['metrics.volume', 'metrics.realizedPnl'] as const) {
    const read = (by: Protocol) => ask(world, { client: world.clients[by], id, input: {}, token })
    const [first, ...others] = await Promise.all(protocols.map(read))
    for (const other of others) assert.deepEqual(other, first)
  }
}

async function readBooks(world: SoakWorld, client: Client, token: string): Promise<void> {
  for (const id of ['positions', 'volume', 'realizedPnl', 'unrealizedPnl', 'tvl'] as const)
    await ask(world, { client, id: `metrics.${id}`, input: {}, token })
  const pageOf = (more: object) =>
    ask(world, { client, id: 'trading.listExecutions', input: { limit: 5, ...more }, token })
  const { next_cursor: cursor } = await pageOf({})
  if (cursor !== null) await pageOf({ cursor })
}

/** Sends an order until it is decided, through all faults. */
async function decided(world: SoakWorld, client: Client, order: object, token: string) {
  const send = async () => {
    const seen = sentNow('trading.execute', client.protocol)
    const asked = { client, id: 'trading.execute', input: order, token } as const
    const response = await ask(world, asked).catch((error: unknown) => {
      if (error !== cutShort) throw error
      return null
    })
    if (response?.status !== 'rejected') return response
    // An error: a risk that could not be checked, which uses up no key.
    world.outcomes.note({ ...seen, code: 'rejected', words: response.message })
    return null
  }
  const deadline = Date.now() + decisionMs
  const trade = await untilDecided(send, { wanted: () => Date.now() < deadline })
  if (trade === null) throw new Error(`a trade was not decided within ${decisionMs / 1_000} s`)
  return trade
}

/** The books' balance of a token, in its smallest units. */
async function held(world: SoakWorld, { token, address }: Account, symbol: string): Promise<bigint> {
  const input = { token_address: address(symbol) }
  const position = await steadily(async () => {
    const [booked] = await ask(world, { client: world.clients.rest, id: 'metrics.positions', input, token })
    assert.ok(booked, `${symbol} is booked`) // after the starting money has arrived
    return booked
  })
  return parseUnits(position.quantity_decimal, 6)
}
