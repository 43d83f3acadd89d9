import { bookOf, tickerOf } from './book.ts'
import { isInterval, nextOpen, openOf } from './intervals.ts'
import type { Tape } from './tape.ts'
import { candleMessage, tickerMessage, tradeMessage } from './wire.ts'

/** Where a connection stands in a stream: answers what came since the last asking. */
export type Place = (moment: number) => Iterable<object>

type Begin = (tape: Tape, detail: string | undefined, moment: number) => Place | null

/** The end of the name of a stream, and what it tells. */
const kinds: readonly [RegExp, Begin][] = [
  [/^aggTrade$/, (tape, _none, moment) => trades(tape, moment)],
  [
    /^kline_(\w{2,3})$/,
    (tape, interval = '', moment) => (isInterval(interval) ? candles(tape, interval, moment) : null),
  ],
  [
    /^depth(5|10|20)$/,
    (tape, levels, moment) => eachSecond(tape, moment, (now) => depthMessage(tape, Number(levels), now)),
  ],
  [/^ticker$/, (tape, _none, moment) => eachSecond(tape, moment, (now) => tickerMessageOf(tape, now))],
]

/** The beginning of a stream such as `ethusdc@depth20`; null where there is no such stream. */
export function placeOf(tapes: ReadonlyMap<string, Tape>, stream: string, moment: number): Place | null {
  const [, symbol = '', kind = ''] = /^([a-z0-9]{2,20})@(\w{2,20})$/.exec(stream) ?? []
  const tape = tapes.get(symbol.toUpperCase())
  if (tape === undefined) return null
  for (const [pattern, begin] of kinds) {
    const match = pattern.exec(kind)
    if (match !== null) return begin(tape, match[1], moment)
  }
  return null
}

function trades(tape: Tape, begun: number): Place {
  let told = tape.newest(begun)
  return function* (moment) {
    for (const newest = tape.newest(moment); told < newest; ) {
      told += 1
      yield tradeMessage(tape, tape.trade(told))
    }
  }
}

/** Each candle once it is closed, and the open one as it stands. */
function candles(tape: Tape, interval: string, begun: number): Place {
  let opened = openOf(interval, begun)
  return function* (moment) {
    for (let last = false; !last; ) {
      const next = nextOpen(interval, opened)
      last = next > moment
      const candle = tape.candle(interval, opened, moment)
      if (candle !== null) yield candleMessage(tape, interval, candle, !last, moment)
      if (!last) opened = next
    }
  }
}

/** What stands now, once a second, which is every second trade. */
function eachSecond(tape: Tape, begun: number, message: (moment: number) => object | null): Place {
  let told = tape.newest(begun) - 2
  return function* (moment) {
    const newest = tape.newest(moment)
    if (newest < told + 2) return
    told = newest
    const said = message(moment)
    if (said !== null) yield said
  }
}

function depthMessage(tape: Tape, levels: number, moment: number): object {
  const [bids, asks] = bookOf(tape, moment, levels)
  return { lastUpdateId: tape.newest(moment), bids, asks }
}

function tickerMessageOf(tape: Tape, moment: number): object | null {
  const ticker = tickerOf(tape, moment)
  return ticker === null ? null : tickerMessage(ticker)
}
