import { expect, test } from 'vitest'
import { closedBefore } from './wire.ts'

const ends = new Date('2026-03-14T00:01:00Z')
const row = (minutes: number) => ({ closesAt: new Date(ends.getTime() + minutes * 60_000) })
const closed = (rows: { closesAt: Date }[], ahead: number) =>
  closedBefore(rows, '1m', ends.getTime() + ahead).map((candle) => candle.closed)

test('a candle is closed when the exchange sends a later one, not by a clock that may be ahead', () => {
  expect(closed([row(0)], 3_000)).toEqual([false])
  expect(closed([row(0), row(1)], 3_000)).toEqual([true, false])
  expect(closed([row(0), row(1)], -3_000)).toEqual([true, false])
  expect(closed([row(0)], 60_000)).toEqual([true])
})
