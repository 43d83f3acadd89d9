import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concluded, type Finding, levelOf, type RiskLevel, scoreOf } from './risk-rules.ts'

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

const finding = fc.record<Finding>({
  verdict: fc.constantFrom('warn', 'fail', 'unknown'),
  score: fc.integer({ min: 1, max: 100 }),
  flag: fc.constantFrom('one', 'two', 'three'),
  says: fc.string(),
})

test('a check passes only without findings, and lists every finding', () => {
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 6 }), (findings) => {
      const { verdict, score, flags, details } = concluded(findings, { block: 7 })
      expect(verdict === 'pass').toBe(findings.length === 0)
      expect(verdict === 'fail').toBe(findings.some((one) => one.verdict === 'fail'))
      expect(score).toBe(Math.max(0, ...findings.map((one) => one.score)))
      expect(new Set(flags)).toEqual(new Set(findings.map(({ flag }) => flag)))
      expect(details).toMatchObject({
        block: 7,
        ...(findings.length > 0 && { reasons: findings.map(({ says }) => says) }),
      })
    }),
  )
})
