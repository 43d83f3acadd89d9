export type RiskLevel = 'low' | 'medium' | 'high' | 'unknown'
type Verdict = 'pass' | 'warn' | 'fail' | 'unknown'

/** The result of one check: `unknown` where it could not be made, never `pass`. */
export type CheckResult = {
  verdict: Verdict
  /** Points 0 (safe) to 100 that the finding adds to the score. */
  score: number
  flags: readonly string[]
  /** The flags in sentences. */
  reasons: readonly string[]
  /** The reasons again, then the evidence. */
  details: Record<string, unknown>
}

/** One finding: its flag, and a sentence that explains it. */
export type Finding = { verdict: Exclude<Verdict, 'pass'>; score: number; flag: string; says: string }

const severity = { pass: 0, warn: 1, unknown: 2, fail: 3 } as const satisfies Record<Verdict, number>

/**
 * The level of a report. A failed check is `high`. Otherwise a check that could not be made is `unknown`, as is a report
 * without checks. Warnings whose score reaches 70 are `high`.
 */
export function levelOf(checks: readonly Pick<CheckResult, 'verdict' | 'score'>[]): RiskLevel {
  const has = (verdict: Verdict) => checks.some((check) => check.verdict === verdict)
  if (has('fail')) return 'high'
  if (checks.length === 0 || has('unknown')) return 'unknown'
  if (!has('warn')) return 'low'
  return scoreOf(checks) >= 70 ? 'high' : 'medium'
}

/** 0 (safe) to 100: the worst check counts in full, every other one a quarter. */
export function scoreOf(checks: readonly Pick<CheckResult, 'score'>[]): number {
  const scores = checks.map((check) => Math.min(100, Math.max(0, check.score))).sort((left, right) => right - left)
  const [worst = 0, ...others] = scores
  return Math.min(100, Math.round(worst + others.reduce((sum, score) => sum + score, 0) / 4))
}

/** The worse of two verdicts, in the order fail, unknown, warn, pass. */
export function worseVerdict(left: Verdict, right: Verdict): Verdict {
  return severity[left] >= severity[right] ? left : right
}

/** Combines findings: the worst decides, and a check without findings passes. `details` is the evidence. */
export function concluded(findings: readonly Finding[], details: Record<string, unknown>): CheckResult {
  const reasons = findings.map(({ says }) => says)
  return {
    verdict: findings.map(({ verdict }) => verdict).reduce<Verdict>(worseVerdict, 'pass'),
    score: Math.max(0, ...findings.map(({ score }) => score)),
    flags: [...new Set(findings.map(({ flag }) => flag))],
    reasons,
    details: { ...(reasons.length === 0 ? {} : { reasons }), ...details },
  }
}
