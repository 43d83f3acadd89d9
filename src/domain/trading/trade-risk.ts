import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/operation.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { assess } from './assess-risk.ts'
import type { ExecuteInput } from './bind-quote.ts'
import type { Swap } from './swap.ts'

type RiskReport = OutputOf<typeof contract.trading.assessRisk>

/** The report, where one was asked for, and why the trade must not be made, or null. */
export type TradeRisk = { report: RiskReport | null; refusal: string | null }

const limitFlags = ['price_impact_above_threshold', 'liquidity_below_threshold', 'liquidity_unknown']

/**
 * Assesses a trade. Without `skip_risk` a level of high or unknown refuses it; the caller's own thresholds refuse it
 * either way.
 */
export async function tradeRisk(request: ExecuteInput, swap: Swap, quote: StoredQuote): Promise<TradeRisk> {
  const { thresholds, skip_risk: skipped } = request
  if (skipped && thresholds === undefined) return { report: null, refusal: null }
  const { tokenIn, tokenOut, amountIn } = quote
  const report = await assess({
    chain: swap.chain,
    tokens: [tokenIn, tokenOut],
    trade: { tokenIn, tokenOut, amountIn },
    checks: skipped ? ['price_sanity'] : [],
    thresholds,
  })
  const broken = report.flags.filter((flag) => limitFlags.includes(flag))
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
  return {
    report,
    refusal: `The risk is ${report.level}${flags}. Nothing was traded; look at the checks of the report.`,
  }
}
