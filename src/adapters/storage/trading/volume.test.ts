import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slotMs } from '../../../domain/ports/ledger.ts'
import { piecesOf } from './volume.ts'

const moment = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 40 * slotMs.day }))

test('the parts of a range cover each moment of it exactly once, and no other moment', () => {
  fc.assert(
    fc.property(moment, moment, fc.integer({ min: 0, max: 40 * slotMs.day }), (start, end, at) => {
      const { slots, rests } = piecesOf(start, end)
      const holding = [
        ...slots.filter(({ size, from, to }) => at >= from * slotMs[size] && at < to * slotMs[size]),
        ...rests.filter(({ from, to }) => at >= from && at < to),
      ]
      const inside = (start === null || at >= start) && (end === null || at < end)
      expect(holding).toHaveLength(inside ? 1 : 0)
    }),
    { numRuns: 2_000 },
  )
})

test('at most an hour at each end is read from single trades', () => {
  fc.assert(
    fc.property(moment, moment, (start, end) => {
      const { slots, rests } = piecesOf(start, end)
      expect(rests.length).toBeLessThanOrEqual(2)
      for (const { from, to } of rests) expect(to - from).toBeLessThan(2 * slotMs.hour)
      expect(slots.length).toBeLessThanOrEqual(3)
    }),
  )
})
