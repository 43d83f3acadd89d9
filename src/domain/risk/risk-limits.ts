import { usdCentsText } from '../values/money.ts'
import type { Finding } from './risk-rules.ts'

/** The caller's limits, null for the default: shares in basis points, amounts in 1e-18 USD. */
export type RiskLimits = {
  maxPriceImpactBps: number | null
  minLiquidityUsd: bigint | null
  maxTaxBps: number | null
  maxPriceDeviationBps: number | null
  maxWhaleBps: number | null
}

/** A measure in basis points: from `noticed` it is a warning, from `alarming` a failure, unless the caller sets a limit. */
type Measure = {
  /** The prefix of a limit's flags: `tax` becomes `tax_above_threshold`. */
  name: string
  /** The flags of a failure without a limit, and of a warning. */
  flag: string
  mild: string
  noticed: number
  alarming: number
  score: number
}

export const measures = {
  impact: {
    name: 'price_impact',
    flag: 'high_price_impact',
    mild: 'high_price_impact',
    noticed: 300,
    alarming: 1_000,
    score: 75,
  },
  tax: { name: 'tax', flag: 'high_tax', mild: 'taxed', noticed: 50, alarming: 1_000, score: 90 },
  deviation: {
    name: 'price_deviation',
    flag: 'price_deviates',
    mild: 'price_deviates',
    noticed: 200,
    alarming: 500,
    score: 85,
  },
  sale: { name: 'whale_flow', flag: 'large_sale', mild: 'large_sale', noticed: 500, alarming: 2_500, score: 80 },
  /** A purchase takes no money out of the pools, so it never fails a trade without the caller's own limit. */
  purchase: {
    name: 'whale_flow',
    flag: 'large_purchase',
    mild: 'large_purchase',
    noticed: 2_500,
    alarming: Number.POSITIVE_INFINITY,
    score: 80,
  },
  transfer: {
    name: 'whale_flow',
    flag: 'large_transfer',
    mild: 'large_transfer',
    noticed: 500,
    alarming: 2_000,
    score: 80,
  },
} as const satisfies Record<string, Measure>

/**
 * Judges a measure. The caller's limit replaces the value from which it fails; warnings stay the same. A limit on what
 * could not be measured is unknown, never passed.
 */
export function judgeMeasure(
  { name, flag, mild, noticed, alarming, score }: Measure,
  value: number | null,
  most: number | null,
  says: (value: number) => string,
): Finding[] {
  if (value === null) {
    if (most === null) return []
    const sentence = `Your limit for ${name} cannot be checked: it could not be measured.`
    return [{ verdict: 'unknown', score: 50, flag: `${name}_unknown`, says: sentence }]
  }
  if (most !== null && value > most) {
    const sentence = `${says(value)} That is above your limit of ${most} basis points.`
    return [{ verdict: 'fail', score, flag: `${name}_above_threshold`, says: sentence }]
  }
  if (most === null && value >= alarming) return [{ verdict: 'fail', score, flag, says: says(value) }]
  return value >= noticed ? [{ verdict: 'warn', score: 40, flag: mild, says: says(value) }] : []
}

const dollar = 10n ** 18n

/** The value of the thinnest pool, in 1e-18 USD, below which it is a warning, or a failure. */
const liquidity = { noticed: 10_000n * dollar, alarming: 1_000n * dollar } as const

/** Judges the value of the thinnest pool, in 1e-18 USD, as `judgeMeasure` does, with a lower limit. */
export function judgeLiquidity(usd: bigint | null, least: bigint | null): Finding[] {
  if (usd === null) {
    if (least === null) return []
    const says = 'Your limit for the liquidity cannot be checked: the tokens of the pools have no current feed price.'
    return [{ verdict: 'unknown', score: 50, flag: 'liquidity_unknown', says }]
  }
  const says = `The thinnest pool of the trade is worth about ${usdCentsText(usd)} USD.`
  if (least !== null && usd < least) {
    const sentence = `${says} That is below your limit of ${usdCentsText(least)} USD.`
    return [{ verdict: 'fail', score: 70, flag: 'liquidity_below_threshold', says: sentence }]
  }
  if (least === null && usd < liquidity.alarming) return [{ verdict: 'fail', score: 70, flag: 'thin_liquidity', says }]
  return usd < liquidity.noticed ? [{ verdict: 'warn', score: 40, flag: 'thin_liquidity', says }] : []
}

/** The findings on the caller's limits where a check could not be made. */
export function unjudged(check: 'rug' | 'whale_flow' | 'price_sanity', limits: RiskLimits): Finding[] {
  const without = (measure: Measure, most: number | null) => judgeMeasure(measure, null, most, String)
  if (check === 'rug') return without(measures.tax, limits.maxTaxBps)
  if (check === 'whale_flow') return without(measures.sale, limits.maxWhaleBps)
  return [
    ...without(measures.deviation, limits.maxPriceDeviationBps),
    ...without(measures.impact, limits.maxPriceImpactBps),
    ...judgeLiquidity(null, limits.minLiquidityUsd),
  ]
}

/** True where the flag says that a limit of the caller is crossed or cannot be checked. */
export function breaksLimit(flag: string): boolean {
  return /_(above|below)_threshold$|_unknown$/.test(flag)
}
