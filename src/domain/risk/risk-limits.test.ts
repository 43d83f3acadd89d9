import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { breaksLimit, judgeLiquidity, judgeMeasure, measures } from './risk-limits.ts'
import { concluded, type Finding, worseVerdict } from './risk-rules.ts'

const measure = fc.constantFrom(...Object.values(measures))
const bps = fc.integer({ min: 0, max: 20_000 })
const limit = fc.integer({ min: 0, max: 10_000 })
const verdictOf = (findings: Finding[]) => concluded(findings, {}).verdict
const judged = (kind: (typeof measures)[keyof typeof measures], value: number | null, most: number | null) =>
  judgeMeasure(kind, value, most, String)

describe('a measure', () => {
  test('above the limit of the caller fails, and below it never does', () => {
    fc.assert(
      fc.property(measure, bps, limit, (kind, value, most) => {
        const findings = judged(kind, value, most)
        expect(verdictOf(findings) === 'fail').toBe(value > most)
        expect(findings.some(({ flag }) => breaksLimit(flag))).toBe(value > most)
      }),
    )
  })

  test('that is missing is unknown where the caller sets a limit, else not a finding', () => {
    fc.assert(
      fc.property(measure, limit, (kind, most) => {
        expect(verdictOf(judged(kind, null, most))).toBe('unknown')
        expect(judged(kind, null, most).every(({ flag }) => breaksLimit(flag))).toBe(true)
        expect(judged(kind, null, null)).toEqual([])
      }),
    )
  })

  test('that is larger is never judged less strictly', () => {
    fc.assert(
      fc.property(measure, bps, bps, fc.option(limit), (kind, one, other, most) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        const worse = verdictOf(judged(kind, more, most))
        expect(worseVerdict(worse, verdictOf(judged(kind, less, most)))).toBe(worse)
      }),
    )
  })

  test('without a limit is a finding from its default threshold on', () => {
    expect(judged(measures.impact, 299, null)).toEqual([])
    expect(judged(measures.impact, 300, null)).toMatchObject([{ verdict: 'warn', flag: 'high_price_impact' }])
    expect(judged(measures.impact, 1_000, null)).toMatchObject([{ verdict: 'fail', flag: 'high_price_impact' }])
    expect(judged(measures.tax, 60, null)).toMatchObject([{ verdict: 'warn', flag: 'taxed' }])
  })
})

describe('liquidity', () => {
  const dollars = fc.bigInt({ min: 0n, max: 10n ** 30n })

  test('below the limit of the caller fails, at or above it never does', () => {
    fc.assert(
      fc.property(dollars, dollars, (held, least) => {
        const findings = judgeLiquidity(held, least)
        expect(verdictOf(findings) === 'fail').toBe(held < least)
        expect(findings.some(({ flag }) => breaksLimit(flag))).toBe(held < least)
      }),
    )
  })

  test('without a feed price is unknown where the caller sets a limit', () => {
    expect(judgeLiquidity(null, 1n)).toMatchObject([{ verdict: 'unknown', flag: 'liquidity_unknown' }])
    expect(judgeLiquidity(null, null)).toEqual([])
  })

  test('without a limit is a warning below 10,000 dollars, and fails below 1,000', () => {
    expect(judgeLiquidity(10_000n * 10n ** 18n, null)).toEqual([])
    expect(judgeLiquidity(9_999n * 10n ** 18n, null)).toMatchObject([{ verdict: 'warn', flag: 'thin_liquidity' }])
    expect(judgeLiquidity(999n * 10n ** 18n, null)).toMatchObject([{ verdict: 'fail', flag: 'thin_liquidity' }])
  })
})
