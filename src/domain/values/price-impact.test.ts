import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bpsBetween, minimumOut, poolFee, priceImpactBps } from './price-impact.ts'

const reserve = fc.bigInt({ min: 10n ** 6n, max: 10n ** 27n })
const feePips = fc.constantFrom(100, 500, 3_000, 10_000)

/** A constant-product pool: its output, and the output at its current price. */
function trade(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, fee: number) {
  const afterFee = amountIn * BigInt(1_000_000 - fee)
  const amountOut = (afterFee * reserveOut) / (reserveIn * 1_000_000n + afterFee)
  return { amountOut, spotOut: (amountIn * reserveOut) / reserveIn, feePips: [fee] }
}

describe('price impact', () => {
  test('is never negative, never above 100 %, and grows with the amount', () => {
    fc.assert(
      fc.property(reserve, reserve, feePips, reserve, reserve, (reserveIn, reserveOut, fee, one, other) => {
        const [small, large] = one < other ? [one, other] : [other, one]
        // Below this amount rounding exceeds the measured impact.
        fc.pre((small * reserveOut) / reserveIn > 1_000_000n)
        const [less, more] = [small, large].map((amount) => priceImpactBps(trade(amount, reserveIn, reserveOut, fee)))
        expect(less).toBeGreaterThanOrEqual(0)
        expect(more).toBeLessThanOrEqual(10_000)
        expect(more).toBeGreaterThanOrEqual(less ?? 0)
      }),
    )
  })

  test('holds for any numbers at all', () => {
    const any = fc.bigInt({ min: 0n, max: 2n ** 256n })
    fc.assert(
      fc.property(any, any, fc.array(feePips, { maxLength: 3 }), (amountOut, spotOut, fees) => {
        const impact = priceImpactBps({ amountOut, spotOut, feePips: fees })
        expect(impact).toBeGreaterThanOrEqual(0)
        expect(impact).toBeLessThanOrEqual(10_000)
      }),
    )
  })

  test('does not count the fee of the pools', () => {
    expect(priceImpactBps({ spotOut: 10n ** 19n, amountOut: 9_928_840_823_976_238_331n, feePips: [500] })).toBe(66)
    expect(priceImpactBps({ spotOut: 10n ** 18n, amountOut: (10n ** 18n * 997n) / 1_000n, feePips: [3_000] })).toBe(0)
  })
})

test('the fee of a pool is its share of the amount, rounded up', () => {
  expect(poolFee(30_000_000_000n, [500])).toBe(15_000_000n)
  expect(poolFee(1n, [500])).toBe(1n)
  expect(poolFee(10n ** 18n, [3_000, 3_000])).toBe(5_991_000_000_000_000n)
  expect(poolFee(10n ** 18n, [])).toBe(0n)
})

test('the minimum is never above what is expected', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 255n }), fc.integer({ min: 0, max: 5_000 }), (expected, slippage) => {
      const least = minimumOut(expected, slippage)
      expect(least <= expected && least * 2n >= expected - 1n).toBe(true)
    }),
  )
  expect(minimumOut(1_000n, 50)).toBe(995n)
})

test('a distance from nothing is as far as can be', () => {
  expect(bpsBetween(101n, 100n)).toBe(100n)
  expect(bpsBetween(99n, 100n)).toBe(100n)
  expect(bpsBetween(5n, 0n)).toBe(10_000n)
  expect(bpsBetween(2n, 3n, 1n)).toBe(0n)
})
