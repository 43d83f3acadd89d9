import { usdCentsText } from '../values/money.ts'
import type { Finding } from './risk-rules.ts'

/** Limits that a caller sets, null where the usual ones hold; shares in basis points, amounts in 1e-18 USD. */
export type RiskLimits = {
  maxPriceImpactBps: number | null
  minLiquidityUsd: bigint | null
  maxTaxBps: number | null
  maxPriceDeviationBps: number | null
  maxWhaleBps: number | null
}

/** Something measured in basis points, and from where it is worth a word, or a stop unless the caller's limit says so. */
type Measure = {
  /** Begins the flags of a limit: `tax` becomes `tax_above_threshold`. */
  name: string
  /** The flag where no limit was set, and the one of what is only worth a word. */
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
  /** A purchase alone takes nothing out of the pools, so that it never stops a trade unless the caller says so. */
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
 * Judges a measure. The caller's limit moves the place from where it fails; what is worth a word is told all the same.
 * What a limit needs and nobody could measure is unknown, never fine.
 */
export function judgeMeasure(
  { name, flag, mild, noticed, alarming, score }: Measure,
  value: number | null,
  most: number | null,
  says: (value: number) => string,
): Finding[] {
  if (value === null) {
    if (most === null) return []
    const sentence = `Your limit for ${name} cannot be kept: it could not be measured.`
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

/** Value of the thinnest pool in dollars, below which it is worth a word, or a stop. */
const liquidity = { noticed: 10_000n * dollar, alarming: 1_000n * dollar } as const

/** Judges how much there is in the thinnest pool, in 1e-18 USD, as `judgeMeasure` does: here the least counts. */
export function judgeLiquidity(usd: bigint | null, least: bigint | null): Finding[] {
  if (usd === null) {
    if (least === null) return []
    const says = 'Your limit for the liquidity cannot be kept: no fresh feed prices the pools.'
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

/** What is to be said of the caller's limits where a check could not be made at all. */
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

/** Does the flag say that a limit of the caller is crossed, or cannot be kept. */
export function breaksLimit(flag: string): boolean {
  return /_(above|below)_threshold$|_unknown$/.test(flag)
}
