import type { StoredQuote } from '../ports/trades.ts'
import { assess, type RiskReport, type RiskThresholds } from '../risk/risk-checks.ts'
import { breaksLimit } from '../risk/risk-limits.ts'
import type { Swap } from '../values/swap.ts'

/** What a request says about its risk. */
type RiskRequest = { skip_risk: boolean; thresholds?: RiskThresholds | undefined }

/** The report, where one was requested, and why the trade must not be made, or null. */
type TradeRisk = { report: RiskReport | null; refusal: string | null }

/** Sentences that a refusal repeats from the report. */
const mostReasons = 3

/**
 * Assesses a trade. Without `skip_risk` a level of high or unknown refuses it; the caller's own thresholds refuse it
 * either way.
 */
export async function tradeRisk(request: RiskRequest, swap: Swap, quote: StoredQuote): Promise<TradeRisk> {
  const { thresholds, skip_risk: skipped } = request
  if (skipped && thresholds === undefined) return { report: null, refusal: null }
  const { tokenIn, tokenOut, amountIn, route } = quote
  const report = await assess({
    chain: swap.chain,
    tokens: [tokenIn, tokenOut],
    trade: { tokenIn, tokenOut, amountIn, pools: route.pools },
    checks: skipped ? checksFor(thresholds) : [],
    thresholds,
  })
  const broken = report.flags.filter(breaksLimit)
  const most = thresholds?.max_price_impact_bps
  if (most !== undefined && quote.priceImpactBps > most && !broken.includes('price_impact_above_threshold')) {
    broken.push('price_impact_above_threshold')
  }
  if (broken.length > 0) {
    return {
      report,
      refusal: `Your thresholds do not allow it: ${broken.join(', ')}. Trade less, or set other thresholds.`,
    }
  }
  if (skipped || (report.level !== 'high' && report.level !== 'unknown')) return { report, refusal: null }
  const flags = report.flags.length === 0 ? '' : ` (${report.flags.join(', ')})`
  const reasons = (report.reasons ?? []).slice(0, mostReasons).join(' ')
  return {
    report,
    refusal: `The risk is ${report.level}${flags}. ${reasons} See the checks of the report.`,
  }
}

/** The checks that the caller's thresholds need. */
function checksFor(thresholds: RiskThresholds | undefined): RiskReport['checks'][number]['name'][] {
  return [
    ...(thresholds?.max_tax_bps === undefined ? [] : (['rug'] as const)),
    ...(thresholds?.max_whale_bps === undefined ? [] : (['whale_flow'] as const)),
    'price_sanity',
  ]
}
