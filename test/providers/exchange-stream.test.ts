import { afterEach, beforeEach, expect, test } from 'vitest'
import { createExchange } from '../../src/adapters/exchange/exchange.ts'
import { createStreamSocket } from '../../src/adapters/exchange/stream-socket.ts'
import { createHttpProvider } from '../../src/adapters/providers/http.ts'
import { systemClock } from '../../src/adapters/system/system.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { MarketStream } from '../../src/domain/ports/market.ts'
import { marketStart } from '../../src/domain/tools/market-events.ts'
import { type MarketEvent, type ReadContext, readMarket } from '../../src/domain/tools/read-market.ts'
import { type ProviderServer, serveProviders } from '../../src/sandbox/provider-server/server.ts'
import { exchangeService } from '../../src/sandbox/providers/exchange-service.ts'
import { streamCases } from './fault-cases.ts'

let resources: AsyncDisposableStack
beforeEach(() => {
  resources = new AsyncDisposableStack()
})
afterEach(async () => await resources.disposeAsync())

const second = 1_000

/** An exchange, and a client of it with shorter timeouts. */
async function openPair({ connectionMs = 86_400 * second } = {}) {
  const service = exchangeService({
    start: Date.now() - 600 * second,
    swaps: async () => [],
    now: () => Date.now(),
    connectionMs,
  })
  resources.defer(() => service.close())
  const server = resources.use(await serveProviders([service], { controlPath: null, failed: () => undefined }))
  const baseUrl = `${server.url}/exchange`
  const times = { gatherMs: 5, idleMs: 300, answerMs: 500, connectMs: 500, pauseMs: 20, mostPauseMs: 200 }
  const socket = createStreamSocket({ url: baseUrl.replace('http', 'ws'), times })
  resources.defer(() => socket.close())
  const waits = { attemptMs: 300, deadlineMs: 700, pauseMs: 5, failures: 100 }
  const rest = createHttpProvider({ name: 'The exchange', urlSetting: 'EXCHANGE_URL', baseUrl, times: waits })
  resources.defer(() => rest.close())
  return { server, exchange: createExchange(rest, socket, 'exchange (test)') }
}

type Read = { exchange: Awaited<ReturnType<typeof openPair>>['exchange']; streams?: MarketStream[] }

/** The events of a market until there are enough; `between` sees each as it arrives. */
async function read(
  { exchange, streams = ['trade', 'kline'] }: Read,
  enough: (events: MarketEvent[]) => boolean,
  between: (events: MarketEvent[]) => void = () => undefined,
): Promise<MarketEvent[]> {
  const events: MarketEvent[] = []
  const leaving = new AbortController()
  const market = { symbol: 'ETHUSDC', streams, interval: '1s' }
  const fail: ReadContext['fail'] = (code, message) => new DomainError(code, message)
  const context = { signal: leaving.signal, fail }
  for await (const one of readMarket({ clock: systemClock, exchange }, market, marketStart, context)) {
    events.push(one)
    between(events)
    if (enough(events)) break
  }
  leaving.abort()
  return events
}

const statesOf = (events: MarketEvent[]) => events.flatMap((one) => ('status' in one ? [one.status.state] : []))
const times = (events: MarketEvent[], state: string) => statesOf(events).filter((one) => one === state).length

/** Every trade and closed candle is there once and in order. */
function expectWhole(events: MarketEvent[]): void {
  const trades = events.flatMap((one) => ('trade' in one ? [one.trade.id] : []))
  expect(trades).toEqual(trades.map((_, index) => trades[0]! + index))
  const closed = events.flatMap((one) => ('candle' in one && one.candle.closed ? [one.candle.openedAt.getTime()] : []))
  expect(closed).toEqual(closed.map((_, index) => closed[0]! + second * index))
  expect(events.map(({ position }) => position.sequence)).toEqual(events.map((_, index) => index + 1))
}

test('connections that last a day and no longer lose nothing, with a day of a second and a half', async () => {
  const pair = await openPair({ connectionMs: 1_500 })
  const events = await read(pair, (seen) => times(seen, 'resumed') === 4)
  expectWhole(events)
  expect(statesOf(events)).toEqual(Array.from({ length: 4 }, () => ['interrupted', 'resumed']).flat())
})

test.each(streamCases)('a stream that $name loses nothing, and says that it is away', async ({ fault }) => {
  const pair = await openPair()
  const set = (server: ProviderServer) => server.faults.set({ path: '/exchange/stream', times: 2, fault })
  const events = await read(
    pair,
    (seen) => times(seen, 'resumed') === 1,
    (seen) => {
      if (seen.length === 3) set(pair.server)
    },
  )
  expectWhole(events)
  expect(statesOf(events)).toEqual(['interrupted', 'resumed'])
})

test('an exchange that streams but cannot yet return the missed trades is tried again', async () => {
  const pair = await openPair()
  const events = await read(
    pair,
    (seen) => times(seen, 'resumed') === 1,
    (seen) => {
      if (seen.length !== 3) return
      pair.server.faults.set({ path: '/exchange/api', times: 6, fault: { type: 'status', status: 503 } })
      pair.server.faults.set({ path: '/exchange/stream', times: 1, fault: { type: 'reset' } })
    },
  )
  expectWhole(events)
  expect(events.some(({ filled }) => filled)).toBe(true)
})
