import type { CheckResult } from '../ports/chains.ts'

export type RiskLevel = 'low' | 'medium' | 'high' | 'unknown'
export type Verdict = CheckResult['verdict']

const severity = { pass: 0, warn: 1, unknown: 2, fail: 3 } as const satisfies Record<Verdict, number>

/**
 * The level of a report. A failed check is high whatever else there is; a check that could not be made is unknown, and
 * so is a report without checks; two or more warnings that weigh much together are high.
 */
export function levelOf(checks: readonly Pick<CheckResult, 'verdict' | 'score'>[]): RiskLevel {
  const has = (verdict: Verdict) => checks.some((check) => check.verdict === verdict)
  if (has('fail')) return 'high'
  if (checks.length === 0 || has('unknown')) return 'unknown'
  if (!has('warn')) return 'low'
  return scoreOf(checks) >= 70 ? 'high' : 'medium'
}

/** 0 (safe) to 100: the worst check counts whole, each other one a quarter. */
export function scoreOf(checks: readonly Pick<CheckResult, 'score'>[]): number {
  const scores = checks.map((check) => Math.min(100, Math.max(0, check.score))).sort((left, right) => right - left)
  const [worst = 0, ...others] = scores
  return Math.min(100, Math.round(worst + others.reduce((sum, score) => sum + score, 0) / 4))
}

/** The worse of two verdicts: a failure before what is unknown, that before a warning. */
export function worseVerdict(left: Verdict, right: Verdict): Verdict {
  return severity[left] >= severity[right] ? left : right
}

/** Limits that a caller sets; amounts in 1e-18 USD. */
export type Thresholds = { maxPriceImpactBps: number | null; minLiquidityUsd: bigint | null }

/** Price impact in basis points from which a trade is worth a warning, or a stop, where the caller sets no limit. */
const usualImpact = { noticed: 300, alarming: 1_000 } as const

/** Judges what was measured against the limits. What a limit needs and nobody could measure is unknown, never fine. */
export function judgeThresholds(
  measured: { impactBps: number | null; liquidityUsd: bigint | null },
  { maxPriceImpactBps, minLiquidityUsd }: Thresholds,
): { verdict: Verdict; score: number; flags: string[] } {
  const found = [impact(measured.impactBps, maxPriceImpactBps), liquidity(measured.liquidityUsd, minLiquidityUsd)]
  return {
    verdict: found.map((one) => one.verdict).reduce(worseVerdict),
    score: Math.max(...found.map((one) => one.score)),
    flags: found.flatMap((one) => one.flags),
  }
}

type Found = { verdict: Verdict; score: number; flags: string[] }

const fine: Found = { verdict: 'pass', score: 0, flags: [] }

function impact(bps: number | null, most: number | null): Found {
  if (bps === null) return fine // there is no trade whose impact could be too high
  if (most !== null) return bps > most ? { verdict: 'fail', score: 75, flags: ['price_impact_above_threshold'] } : fine
  if (bps >= usualImpact.alarming) return { verdict: 'fail', score: 75, flags: ['high_price_impact'] }
  return bps >= usualImpact.noticed ? { verdict: 'warn', score: 40, flags: ['high_price_impact'] } : fine
}

function liquidity(usd: bigint | null, least: bigint | null): Found {
  if (least === null) return fine
  if (usd === null) return { verdict: 'unknown', score: 50, flags: ['liquidity_unknown'] }
  return usd < least ? { verdict: 'fail', score: 70, flags: ['liquidity_below_threshold'] } : fine
}
