import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgePrice, type PriceFacts } from './price-sanity.ts'
import type { RiskLimits } from './risk-limits.ts'

const usual: RiskLimits = {
  maxPriceImpactBps: null,
  minLiquidityUsd: null,
  maxTaxBps: null,
  maxPriceDeviationBps: null,
  maxWhaleBps: null,
}
const decimals = fc.integer({ min: 0, max: 24 })
const feed = fc.record({
  pair: fc.constant('A/USD'),
  answer: fc.bigInt({ min: 0n, max: 10n ** 14n }),
  decimals: fc.constant(8),
  ageSeconds: fc.nat(10_000),
  heartbeatSeconds: fc.constant(3_600),
  stale: fc.boolean(),
})
const side = fc.record({
  token: fc.record({ symbol: fc.constant('A'), decimals }),
  feed: fc.option(feed),
})
const anyFacts = fc.record<PriceFacts>({
  amountIn: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  spotOut: fc.bigInt({ min: 0n, max: 10n ** 30n }),
  hops: fc.integer({ min: 1, max: 2 }),
  tokenIn: side,
  tokenOut: side,
  impactBps: fc.option(fc.nat(10_000)),
  liquidityUsd: fc.option(fc.bigInt({ min: 0n, max: 10n ** 30n })),
})

test('without a current feed price of each side the check never passes and has no deviation', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const proven = [facts.tokenIn.feed, facts.tokenOut.feed].every(
        (one) => one !== null && one.answer > 0n && !one.stale,
      )
      const { findings, deviationBps } = judgePrice(facts, usual)
      expect(deviationBps !== null).toBe(proven)
      expect(findings.some(({ verdict }) => verdict === 'unknown')).toBe(!proven)
    }),
  )
})

test('the deviation of the pools from the feeds is exact for all decimals', () => {
  const priced = (answer: bigint, of: number) => ({
    token: { symbol: 'A', decimals: of },
    feed: { pair: 'A/USD', answer, decimals: 8, ageSeconds: 0, heartbeatSeconds: 3_600, stale: false },
  })
  fc.assert(
    fc.property(decimals, decimals, fc.integer({ min: -9_000, max: 20_000 }), (decimalsIn, decimalsOut, offBps) => {
      const amountIn = 10n ** BigInt(decimalsIn) * 1_000_000n
      const fair = 10n ** BigInt(decimalsOut) * 3_000_000_000n
      const facts: PriceFacts = {
        amountIn,
        spotOut: (fair * BigInt(10_000 + offBps)) / 10_000n,
        hops: 1,
        tokenIn: priced(3_000_00000000n, decimalsIn),
        tokenOut: priced(1_00000000n, decimalsOut),
        impactBps: null,
        liquidityUsd: null,
      }
      const { findings, deviationBps } = judgePrice(facts, usual)
      // The tolerance of one smallest unit for each rounding is at most one basis point.
      expect(Math.abs((deviationBps ?? 0) - Math.abs(offBps))).toBeLessThanOrEqual(1)
      expect(findings.some(({ verdict }) => verdict === 'fail')).toBe((deviationBps ?? 0) >= 500)
    }),
  )
})
