import { bookOf, tickerOf } from './book.ts'
import { isInterval, nextOpen, openOf } from './intervals.ts'
import type { Tape } from './tape.ts'
import { candleMessage, tickerMessage, tradeMessage } from './wire.ts'

/** The position of a connection in a stream. Each call returns the messages since the one before. */
export type Cursor = (now: number) => Iterable<object>

type OpenCursor = (tape: Tape, detail: string | undefined, now: number) => Cursor | null

/** Kinds of streams by the end of their names. */
const kinds: readonly [RegExp, OpenCursor][] = [
  [/^aggTrade$/, (tape, _none, now) => trades(tape, now)],
  [/^kline_(\w{2,3})$/, (tape, interval = '', now) => (isInterval(interval) ? candles(tape, interval, now) : null)],
  [
    /^depth(5|10|20)$/,
    (tape, levels, begun) => eachSecond(tape, begun, (now) => depthMessage(tape, Number(levels), now)),
  ],
  [/^ticker$/, (tape, _none, begun) => eachSecond(tape, begun, (now) => tickerMessageOf(tape, now))],
]

/** Opens a stream such as `ethusdc@depth20` at its current position; null where there is no such stream. */
export function openCursor(tapes: ReadonlyMap<string, Tape>, stream: string, now: number): Cursor | null {
  const [, symbol = '', kind = ''] = /^([a-z0-9]{2,20})@(\w{2,20})$/.exec(stream) ?? []
  const tape = tapes.get(symbol.toUpperCase())
  if (tape === undefined) return null
  for (const [pattern, open] of kinds) {
    const match = pattern.exec(kind)
    if (match !== null) return open(tape, match[1], now)
  }
  return null
}

function trades(tape: Tape, begun: number): Cursor {
  let last = tape.newest(begun)
  return function* (now) {
    for (const newest = tape.newest(now); last < newest; ) {
      last += 1
      yield tradeMessage(tape, tape.trade(last))
    }
  }
}

/** The messages of a candle stream: each closed candle once, and the current state of the open one. */
function candles(tape: Tape, interval: string, begun: number): Cursor {
  let opened = openOf(interval, begun)
  return function* (now) {
    for (let isOpen = false; !isOpen; ) {
      const next = nextOpen(interval, opened)
      isOpen = next > now
      const candle = tape.candle(interval, opened, now)
      if (candle !== null) yield candleMessage(tape, interval, candle, !isOpen, now)
      if (!isOpen) opened = next
    }
  }
}

/** The current message once a second, which is at every second trade. */
function eachSecond(tape: Tape, begun: number, message: (now: number) => object | null): Cursor {
  let last = tape.newest(begun) - 2
  return function* (now) {
    const newest = tape.newest(now)
    if (newest < last + 2) return
    last = newest
    const current = message(now)
    if (current !== null) yield current
  }
}

function depthMessage(tape: Tape, levels: number, now: number): object {
  const [bids, asks] = bookOf(tape, now, levels)
  return { lastUpdateId: tape.newest(now), bids, asks }
}

function tickerMessageOf(tape: Tape, now: number): object | null {
  const ticker = tickerOf(tape, now)
  return ticker === null ? null : tickerMessage(ticker)
}
