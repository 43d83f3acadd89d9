import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { DomainError } from '../core/errors.ts'
import type { Exchange, ExchangeEvent, Market, MarketCandle, MarketTrade } from '../ports/market.ts'
import { marketEventId, marketStart, parseMarketCursor } from './market-events.ts'
import { type MarketEvent, type ReadContext, readMarket } from './read-market.ts'

const market: Market = { symbol: 'ETHUSDC', streams: ['trade', 'kline'], interval: '1s' }
const { signal } = new AbortController()
const fail: ReadContext['fail'] = (code, message) => new DomainError(code, message)
const context = { signal, fail }
const tradeOf = (id: number): MarketTrade => ({
  id,
  price: '1',
  quantity: '1',
  buyerIsMaker: false,
  at: new Date(id * 500),
})

/** A candle of two trades, after the first or after both. */
function candleOf(number: number, closed: boolean): MarketCandle {
  const prices = { open: '1', high: '1', low: '1', close: '1', volume: closed ? '2' : '1' }
  return {
    interval: '1s',
    openedAt: new Date(number * 1_000),
    closesAt: new Date(number * 1_000 + 999),
    ...prices,
    closed,
  }
}

/**
 * An exchange with so many trades whose socket is connected only part of the time; requests return all trades, except
 * that the first `failures` requests fail.
 */
function exchangeOf(stretches: readonly (readonly [number, number])[], failures = 0, begun = 0) {
  let now = begun
  let failing = failures
  const left = [...stretches]
  const response = <T>(value: T): T => {
    failing -= 1
    if (failing >= 0) throw new DomainError('UNAVAILABLE', 'The exchange rests.', { retryAfterSeconds: 0.001 })
    return value
  }
  async function* follow(): AsyncGenerator<ExchangeEvent, void, undefined> {
    for (const stream of market.streams) yield { kind: 'joined', stream }
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [received, missed] = next
      for (const stream of market.streams) yield { kind: 'joined', stream }
      for (const until = now + received; now < until; ) {
        now += 1
        yield { kind: 'trade', trade: tradeOf(now) }
        yield { kind: 'candle', candle: candleOf(now >> 1, now % 2 === 1), at: new Date(now * 500) }
      }
      now += missed
      for (const stream of market.streams) yield { kind: 'lost', stream }
    }
  }
  const exchange: Exchange = {
    source: 'test',
    symbols: async () => [market.symbol],
    follow,
    newestTrade: async () => response(now),
    tradesFrom: async (_symbol, id) =>
      response(Array.from({ length: Math.max(0, Math.min(1_000, now - id + 1)) }, (_, index) => tradeOf(id + index))),
    async candlesFrom(_market, openedAt) {
      const first = Math.ceil(openedAt.getTime() / 1_000)
      const length = Math.max(0, Math.min(1_000, (now >> 1) - first + 1))
      // The newest candle may still change.
      return response(Array.from({ length }, (_, index) => candleOf(first + index, index < length - 1)))
    },
  }
  return { clock: clockAt(() => new Date(now * 500)), exchange }
}

const tradeIds = (events: MarketEvent[]) => events.flatMap((one) => ('trade' in one ? [one.trade.id] : []))
const closedAt = (events: MarketEvent[]) =>
  events.flatMap((one) => ('candle' in one && one.candle.closed ? [one.candle.openedAt.getTime() / 1_000] : []))
const upFrom = (values: number[]) => values.map((_, index) => (values[0] ?? 0) + index)

const stretches = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 50 })), { maxLength: 8 })

test('every trade and closed candle is returned once and in order, whatever the socket misses', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, async (parts) => {
      const events = await Array.fromAsync(readMarket(exchangeOf(parts), market, marketStart, context))
      expect(events.map(({ position }) => position.sequence)).toEqual(events.map((_, index) => index + 1))
      expect(tradeIds(events)).toEqual(upFrom(tradeIds(events)))
      expect(closedAt(events)).toEqual(upFrom(closedAt(events)))
      const live = events.filter(({ filled }) => !filled)
      expect(tradeIds(live)).toEqual(tradeIds(live).toSorted((left, right) => left - right))
    }),
  )
})

test('a reader that resumes from any event id receives exactly the remaining events', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.nat(), async (parts, cursor) => {
      const whole = await Array.fromAsync(readMarket(exchangeOf(parts), market, marketStart, context))
      fc.pre(whole.length > 0)
      const seen = whole.slice(0, (cursor % whole.length) + 1)
      const id = marketEventId(subscription, seen.at(-1)!.position)
      const from = parseMarketCursor(subscription, id)!
      const late = exchangeOf([
        [0, parts.flat().reduce((sum, count) => sum + count, 0)],
        [0, 0],
      ])
      const rest = await Array.fromAsync(readMarket(late, market, from, context))
      expect(rest.map(({ position }) => position.sequence)).toEqual(rest.map((_, index) => from.sequence + 1 + index))
      const trades = [...tradeIds(seen), ...tradeIds(rest)]
      expect(trades).toEqual(upFrom(trades))
      expect(trades.length).toBeGreaterThanOrEqual(tradeIds(whole).length * Number(tradeIds(seen).length > 0))
      const candles = [...closedAt(seen), ...closedAt(rest)]
      expect(candles).toEqual(upFrom(candles))
    }),
  )
})

const subscription = '6f1c2b7e-3d4a-4c58-9e10-7a5b3c2d1e0f'

test('an event id is parsed to its position, and other texts to null', () => {
  const number = fc.option(fc.nat(2 ** 31), { nil: null })
  fc.assert(
    fc.property(fc.nat(), number, number, (sequence, trade, candle) => {
      const position = { sequence, trade, candle }
      expect(parseMarketCursor(subscription, marketEventId(subscription, position))).toEqual(position)
      expect(parseMarketCursor(crypto.randomUUID(), marketEventId(subscription, position))).toBeNull()
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => parseMarketCursor(subscription, text) === null))
})

test('missed trades that the exchange no longer has end the stream with an instruction', async () => {
  const world = exchangeOf([[3, 0]])
  const forgetful = { ...world, exchange: { ...world.exchange, tradesFrom: async () => [tradeOf(900)] } }
  const reading = Array.fromAsync(readMarket(forgetful, market, { sequence: 5, trade: 1, candle: null }, context))
  await expect(reading).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
  await expect(reading).rejects.toBeInstanceOf(DomainError)
})

const statesOf = (events: MarketEvent[]) => events.flatMap((one) => ('status' in one ? [one.status.state] : []))

test('missed events are requested until the exchange returns them, and the status reports the interruption', async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.integer({ min: 0, max: 4 }), async (parts, failures) => {
      const world = exchangeOf(parts, failures)
      const events = await Array.fromAsync(readMarket(world, market, { sequence: 7, trade: 0, candle: -1 }, context))
      expect(events.map(({ position }) => position.sequence)).toEqual(events.map((_, index) => index + 8))
      expect(tradeIds(events)).toEqual(upFrom(tradeIds(events)))
      expect(closedAt(events)).toEqual(upFrom(closedAt(events)))
      const states = statesOf(events)
      expect(states).toEqual(states.map((_, index) => (index % 2 === 0 ? 'interrupted' : 'resumed')))
    }),
  )
})

test('an interruption is reported once, and its end after all missed events', async () => {
  const events = await Array.fromAsync(
    readMarket(
      exchangeOf([
        [4, 6],
        [4, 0],
      ]),
      market,
      marketStart,
      context,
    ),
  )
  const kinds = events.map((one) => ('status' in one ? one.status.state : one.filled ? 'filled' : 'live'))
  const runs = kinds.filter((kind, index) => kind !== kinds[index - 1])
  expect(runs).toEqual(['live', 'interrupted', 'filled', 'resumed', 'live', 'interrupted'])
})

test.each([
  ['trades', { sequence: 5, trade: 1, candle: null }, 0],
  ['candles', { sequence: 5, trade: null, candle: 0 }, 0],
  ['trades of one gap', marketStart, 42_000],
] as const)(
  'a reader that is too many %s behind is refused before it receives any event',
  async (_what, from, missed) => {
    const world = exchangeOf([[1, missed]], 0, 42_000)
    const events: MarketEvent[] = []
    const reading = (async () => {
      for await (const one of readMarket(world, market, from, context)) events.push(one)
      for await (const one of readMarket(world, market, events.at(-1)!.position, context)) events.push(one)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('last_event_id'),
    })
    expect(events.filter(({ filled }) => filled)).toEqual([])
  },
)
