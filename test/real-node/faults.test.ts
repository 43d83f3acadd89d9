import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { figures } from '../faults/figures.ts'
import { drawn, isLong, seed } from '../sized.ts'
import { type GethWorld, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'
import { type Fault, type NodeProxy, openNodeProxy } from './node-proxy.ts'
import { amount, openTrader, type Traded, type Trader } from './trader.ts'

if (noGeth) console.log(noGethReason)

/** What a node may do, by name. */
const faults: Readonly<Record<string, Fault>> = {
  'answers late': { does: 'delay', ms: 1_500 },
  hangs: { does: 'hang' },
  'cuts connections': { does: 'cut' },
  'limits its rate': { does: 'status', status: 429 },
  'limits its rate for ten seconds': { does: 'status', status: 429, retryAfterSeconds: 10 },
  'has a bad gateway': { does: 'status', status: 502 },
  'is unavailable': { does: 'status', status: 503 },
  'answers by half': { does: 'half' },
  'answers another call': { does: 'wrong-id' },
  'is 5 blocks behind': { does: 'old-heads', blocks: 5 },
  'finds no header': { does: 'no-header' },
  'serves narrow logs': { does: 'narrow-logs', blocks: 2 },
  'lacks methods': { does: 'lacks' },
  'refuses batches': { does: 'no-batch' },
}

const places = [
  'every method',
  'eth_getLogs',
  'eth_call',
  'eth_getBlockByNumber',
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
] as const

/** Where a fault happens to some methods alone; 'every method' are all of them. */
const only: Readonly<Record<string, readonly string[]>> = {
  'finds no header': ['every method', 'eth_call', 'eth_getBlockByNumber'],
  'is 5 blocks behind': [
    'every method',
    'eth_getLogs',
    'eth_call',
    'eth_getBlockByNumber',
    'eth_getTransactionReceipt',
  ],
  'serves narrow logs': ['eth_getLogs'],
  'refuses batches': ['every method'],
}

type Case = { name: string; at: string; fault: Fault | null }

const cases: Case[] = Object.entries(faults).flatMap(([name, fault]) =>
  places
    .filter((at) => only[name]?.includes(at) ?? true)
    .map((at) => ({ name, at, fault: at === 'every method' ? fault : { ...fault, methods: [at] } })),
)

/**
 * How many calls of a method a node at fault may still get: the pool's own trial, those that are made as it lets the node
 * back after it has read the heights, and on a busy machine those for which the good node is late. A caller who chose it
 * first would call it for each.
 */
const mostCalls = (ofGood: number) => Math.max(3, ofGood / 4)

/** Methods whose calls cost a caller nothing: a transaction goes to all nodes at once, and the pool itself reads heights. */
const free: readonly string[] = ['eth_sendRawTransaction', 'eth_blockNumber']

/**
 * Whether callers are kept from a node that does this. One that limits its rate is called at its pace; a lag shows in the
 * heights, not at one method; and what is refused by its range may be refused by all.
 */
function isNoticed(name: string, at: string): boolean {
  if (name === 'refuses batches' || name === 'serves narrow logs') return false
  return at === 'every method' || !['is 5 blocks behind', 'limits its rate'].includes(name)
}

const swapped = {
  ok: true,
  output: { status: 'success', message: expect.stringMatching(`^Swapped ${amount} WETH for [0-9.]+ USDC\\.$`) },
}

let geth: GethWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  if (!noGeth) geth = opened.use(await startGethWorld())
})
afterAll(async () => await opened.disposeAsync())

/** Everything that a trader asks for, with what it took. Throws where an answer is not what a good node leads to. */
async function asks(trader: Trader) {
  const quotes: number[] = []
  let quote: unknown
  for (let count = 0; count < 4; count += 1) {
    const { ms, answer } = await trader.quote()
    expect(answer).toMatchObject({ ok: true })
    if (answer.ok) quote = answer.output
    quotes.push(ms)
  }
  const risk = await trader.risk(quote)
  expect(risk.answer).toMatchObject({ ok: true, output: { level: 'low' } })
  const ready = await trader.ready()
  expect(ready.answer).toBe(200)
  const trade = await trader.trade()
  expect(trade.answer).toMatchObject(swapped)
  return { quotes, risk: risk.ms, ready: ready.ms, trade: trade.ms }
}

describe.skipIf(noGeth)('a faulty node before a good one', () => {
  let first: NodeProxy
  let second: NodeProxy
  let trader: Trader
  beforeAll(async () => {
    first = opened.use(await openNodeProxy(geth.url))
    second = opened.use(await openNodeProxy(geth.url))
    trader = opened.use(await openTrader(geth, [first, second]))
  })
  const blocks = async () => Number(await geth.call('eth_blockNumber'))

  test.each([{ name: 'does nothing wrong', at: 'any method', fault: null }, ...drawn(cases, 2)])(
    'that $name at $at: everything succeeds, and only the first callers wait',
    async ({ name, at, fault }) => {
      first.faults = []
      await trader.restart()
      await trader.quote()
      first.faults = fault === null ? [] : [fault]
      const begun = await asks(trader)
      first.forget()
      second.forget()
      const next = await asks(trader)
      const spoiled = Object.entries(first.calls).filter(([method]) => fault?.methods?.includes(method) ?? true)
      figures(`a first node that ${name} at ${at}`, {
        quote_first_ms: begun.quotes[0],
        quote_next_ms: begun.quotes.slice(1),
        quote_later_ms: next.quotes,
        risk_ms: [begun.risk, next.risk],
        ready_ms: [begun.ready, next.ready],
        trade_ms: [begun.trade, next.trade],
        calls: fault === null ? [] : spoiled.map(([method, count]) => `${method}:${count}`),
      })
      expect(trader.gateway().complaints()).toBe('')
      expect(trader.signings().filter((signed) => signed !== 1)).toEqual([])
      if (fault !== null && isNoticed(name, at))
        expect(
          spoiled.filter(([method, count]) => !free.includes(method) && count > mostCalls(second.calls[method] ?? 0)),
        ).toEqual([])
    },
  )

  test.runIf(isLong).each([4, 5])(
    'that is %i blocks behind: trades are told as soon, and none is sent again',
    async (lag) => {
      first.faults = []
      await trader.restart()
      const well = [(await asks(trader)).trade, (await asks(trader)).trade]
      first.faults = [{ does: 'old-heads', blocks: lag }]
      const behind = [(await asks(trader)).trade, (await asks(trader)).trade]
      const at = await blocks()
      await until(async () => (await blocks()) > at + 8, 'blocks after which a lost transaction is replaced', 60_000)
      figures(`a first node that is ${lag} blocks behind`, { trade_without_ms: well, trade_ms: behind })
      expect(trader.signings().filter((signed) => signed !== 1)).toEqual([])
      expect(trader.gateway().complaints()).toBe('')
    },
  )

  test.runIf(isLong)('that hangs while the gateway starts: it starts, and trades', async () => {
    first.faults = []
    await trader.restart()
    const well = trader.gateway().readyMs
    first.faults = [{ does: 'hang' }]
    await trader.restart()
    const { quotes, trade } = await asks(trader)
    const begun = { start_ms: trader.gateway().readyMs, quote_ms: quotes, trade_ms: trade }
    figures('a first node that hangs from the start', { start_without_ms: well, ...begun })
    expect(trader.gateway().complaints()).toBe('')
  })
})

/** Calls of the only node that go wrong at random, none of which a caller may notice. */
const spoiledShares: Readonly<Record<string, Fault>> = {
  'finds no header at a fifth of the calls': { does: 'no-header', share: 0.2 },
  'limits its rate at a tenth': { does: 'status', status: 429, share: 0.1 },
  'cuts a tenth of the connections': { does: 'cut', share: 0.1 },
  'answers a twentieth by half': { does: 'half', share: 0.05 },
  'answers another call at a twentieth': { does: 'wrong-id', share: 0.05 },
}

describe.skipIf(noGeth)('a single node', () => {
  let node: NodeProxy
  let trader: Trader
  beforeAll(async () => {
    node = opened.use(await openNodeProxy(geth.url, { seed }))
    trader = opened.use(await openTrader(geth, [node]))
  })

  test.each(drawn(Object.entries(spoiledShares), 1))(
    'that %s: five trades of five, each sent once',
    async (name, fault) => {
      node.faults = []
      await trader.restart()
      node.faults = [fault]
      const before = await trader.sent()
      const trades = await Promise.all(Array.from({ length: 5 }, () => trader.trade()))
      node.faults = []
      figures(`a single node that ${name}`, {
        trade_ms: trades.map(({ ms }) => ms),
        said: trades.map(({ answer }) =>
          answer.ok ? (answer.output as Traded).status : `${answer.code} ${answer.message}`,
        ),
      })
      for (const { answer } of trades) expect(answer).toMatchObject(swapped)
      // An approval and a swap each.
      expect((await trader.sent()) - before).toBe(10)
      expect(trader.signings()).toEqual(Array(await trader.sent()).fill(1))
      expect(trader.gateway().complaints()).toBe('')
    },
  )
})
