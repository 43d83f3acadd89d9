import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeThresholds, levelOf, type RiskLevel, scoreOf } from './risk-rules.ts'

const check = fc.record({
  verdict: fc.constantFrom('pass' as const, 'warn' as const, 'fail' as const, 'unknown' as const),
  score: fc.integer({ min: 0, max: 100 }),
})
const checks = fc.array(check, { maxLength: 5 })
const tradable: RiskLevel[] = ['low', 'medium']

describe('levels', () => {
  test('a failed check is high and one that was not made is never low, whatever else there is', () => {
    fc.assert(
      fc.property(checks, (made) => {
        const level = levelOf(made)
        if (made.some(({ verdict }) => verdict === 'fail')) expect(level).toBe('high')
        if (made.length === 0 || made.some(({ verdict }) => verdict === 'unknown'))
          expect(tradable).not.toContain(level)
        if (level === 'low') expect(made.every(({ verdict }) => verdict === 'pass')).toBe(true)
      }),
    )
  })

  test('one more check never makes a trade tradable that was not', () => {
    fc.assert(
      fc.property(fc.array(check, { minLength: 1, maxLength: 5 }), check, (made, more) => {
        if (!tradable.includes(levelOf(made))) expect(tradable).not.toContain(levelOf([...made, more]))
      }),
    )
  })
})

test('the score is between 0 and 100, at least that of the worst check, and grows with each', () => {
  fc.assert(
    fc.property(checks, check, (made, more) => {
      const score = scoreOf(made)
      expect(score).toBeGreaterThanOrEqual(Math.max(0, ...made.map((one) => one.score)))
      expect(score).toBeLessThanOrEqual(100)
      expect(scoreOf([...made, more])).toBeGreaterThanOrEqual(score)
    }),
  )
  expect(scoreOf([])).toBe(0)
})

describe('thresholds', () => {
  const none = { maxPriceImpactBps: null, minLiquidityUsd: null }

  test('a limit that is crossed fails, and one that cannot be judged is unknown', () => {
    const limits = { maxPriceImpactBps: 100, minLiquidityUsd: 50_000n * 10n ** 18n }
    expect(judgeThresholds({ impactBps: 100, liquidityUsd: 50_000n * 10n ** 18n }, limits).verdict).toBe('pass')
    expect(judgeThresholds({ impactBps: 101, liquidityUsd: 10n ** 30n }, limits)).toMatchObject({
      verdict: 'fail',
      flags: ['price_impact_above_threshold'],
    })
    expect(judgeThresholds({ impactBps: 0, liquidityUsd: 1n }, limits).flags).toEqual(['liquidity_below_threshold'])
    expect(judgeThresholds({ impactBps: 0, liquidityUsd: null }, limits).verdict).toBe('unknown')
  })

  test('without limits only a large impact counts', () => {
    expect(judgeThresholds({ impactBps: 299, liquidityUsd: null }, none).verdict).toBe('pass')
    expect(judgeThresholds({ impactBps: 300, liquidityUsd: null }, none).verdict).toBe('warn')
    expect(judgeThresholds({ impactBps: 1_000, liquidityUsd: null }, none).verdict).toBe('fail')
  })
})
