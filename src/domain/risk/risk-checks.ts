import type { contract } from '../../contract/index.ts'
import type { InputOf, OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import { parseUnits } from '../values/money.ts'
import { knownToken, pooledToken } from '../values/tokens.ts'
import { judgeFlow } from './judge-flow.ts'
import { judgeToken } from './judge-token.ts'
import { checkPrice, type PricedTrade } from './price-sanity.ts'
import { type RiskLimits, unjudged } from './risk-limits.ts'
import { type CheckResult, concluded, type Finding, levelOf, scoreOf, worseVerdict } from './risk-rules.ts'

type RiskInput = InputOf<typeof contract.trading.assessRisk>
type CheckName = NonNullable<RiskInput['input']>['checks'][number]

/** A risk report as callers receive it, and the limits that a caller may set for it. */
export type RiskReport = OutputOf<typeof contract.trading.assessRisk>
export type RiskThresholds = NonNullable<RiskInput['thresholds']>

/** A flag, and the sentence that explains it. */
export type Note = { flag: string; says: string }

/** What to assess: tokens to look at, and the trade where there is one. No checks named means all of them. */
export type Assessment = {
  chain: Chain
  tokens: readonly Hex[]
  trade: PricedTrade | null
  checks: readonly CheckName[]
  thresholds: RiskThresholds | undefined
  /** Findings made before the checks, such as `quote_expired`. */
  found?: readonly Note[]
  /** True where a chain that does not respond is an error, and no unknown risk. */
  needsChain?: boolean
}

/** The token as the table lists it, in the form that pools hold. */
function asPooled(chain: Chain, token: Hex): Hex {
  return pooledToken(chain, knownToken(chain, token)?.address ?? token)
}

/** Begins to read what the checks need of tokens. A chain reads it once a block, so a check that follows waits for less. */
export function readAhead(chain: Chain, tokens: readonly Hex[]): void {
  for (const token of tokens.map((one) => asPooled(chain, one)))
    for (const reading of [chain.readToken(token), chain.readFlow(token)]) reading.catch(() => undefined)
}

/** Makes the checks concurrently and combines them. Each applies the thresholds on what it measures. */
export async function assess(assessment: Assessment): Promise<RiskReport> {
  const { chain, found = [] } = assessment
  const tokens = [...new Set(assessment.tokens.map((token) => asPooled(chain, token)))]
  const names =
    assessment.checks.length === 0 ? (['rug', 'whale_flow', 'price_sanity'] as const) : [...new Set(assessment.checks)]
  const request = {
    chain,
    tokens,
    trade: pooledTrade(chain, assessment.trade),
    needsChain: assessment.needsChain ?? false,
    limits: readLimits(assessment.thresholds),
  }
  const results = await Promise.all(names.map(async (name) => ({ name, ...(await run(name, request)) })))
  return {
    level: levelOf(results),
    aggregate_score: scoreOf(results),
    checks: results.map(({ name, verdict, details }) => ({
      name,
      result: verdict,
      details: { ...details, chain_id: chain.info.id },
    })),
    flags: [...new Set([...found.map(({ flag }) => flag), ...results.flatMap(({ flags }) => flags)])],
    reasons: [...new Set([...found.map(({ says }) => says), ...results.flatMap(({ reasons }) => reasons)])],
  }
}

/** The trade in the tokens that pools hold; null where the native currency is only wrapped. */
function pooledTrade(chain: Chain, trade: Assessment['trade']): Assessment['trade'] {
  if (trade === null) return null
  const [tokenIn, tokenOut] = [pooledToken(chain, trade.tokenIn), pooledToken(chain, trade.tokenOut)]
  return tokenIn.toLowerCase() === tokenOut.toLowerCase() ? null : { ...trade, tokenIn, tokenOut }
}

type CheckRequest = Pick<Assessment, 'chain' | 'tokens' | 'trade' | 'needsChain'> & { limits: RiskLimits }

async function run(name: CheckName, request: CheckRequest): Promise<CheckResult> {
  const { chain, tokens, trade, limits } = request
  if (name === 'rug')
    return await perToken(name, request, async (token) => {
      const listed = knownToken(chain, token)
      return judgeToken(await chain.readToken(token), listed !== null && listed.test !== true, limits)
    })
  if (name === 'whale_flow')
    return await perToken(name, request, async (token) => judgeFlow(await chain.readFlow(token), limits))
  const pair = trade ?? pairFor(chain, tokens)
  if (pair === null)
    return nothing('Name the tokens of the trade in input.addresses, or send a quote_id of this gateway.')
  const result = await attempted(request, () => checkPrice(chain, pair, limits), unjudged(name, limits))
  return { ...result, details: { ...result.details, token_in: pair.tokenIn, token_out: pair.tokenOut } }
}

/** Checks each token; the worst result counts. */
async function perToken(
  name: CheckName,
  request: CheckRequest,
  check: (token: Hex) => Promise<CheckResult>,
): Promise<CheckResult> {
  const { chain, tokens, limits } = request
  if (tokens.length === 0) return nothing('Name tokens in input.addresses, or send a quote_id of this gateway.')
  const results = await Promise.all(
    tokens.map(async (address) => ({
      address,
      ...(await attempted(request, () => check(address), unjudged(name, limits))),
    })),
  )
  return {
    verdict: results.map((result) => result.verdict).reduce(worseVerdict),
    score: Math.max(...results.map((result) => result.score)),
    flags: [...new Set(results.flatMap((result) => result.flags))],
    reasons: results.flatMap(({ address, reasons }) =>
      reasons.map((says) => `${knownToken(chain, address)?.symbol ?? address}: ${says}`),
    ),
    details: {
      tokens: results.map(({ address, verdict, flags, details }) => ({
        address,
        result: verdict,
        flags: [...flags],
        ...details,
      })),
    },
  }
}

/**
 * Pairs a single token with the wrapped native currency, or with another known token where it is the wrapped one
 * itself.
 */
function pairFor(chain: Chain, tokens: readonly Hex[]): Assessment['trade'] {
  const [token] = tokens
  if (token === undefined) return null
  const others = [
    chain.info.wrappedNative,
    ...chain.info.tokens.filter(({ usdFeed, test }) => usdFeed !== null && test !== true).map(({ address }) => address),
  ]
  const other = others.find((address) => address.toLowerCase() !== token.toLowerCase())
  return other === undefined ? null : { tokenIn: token, tokenOut: other, amountIn: null }
}

/** A check that cannot be made is unknown, with the reason. */
async function attempted(
  { needsChain = false }: CheckRequest,
  check: () => Promise<CheckResult>,
  unchecked: readonly Finding[],
): Promise<CheckResult> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof DomainError) || (needsChain && isOutage(error))) throw error
    return concluded([{ verdict: 'unknown', score: 50, flag: 'check_failed', says: error.message }, ...unchecked], {})
  }
}

/** Whether a node did not respond, and not a contract: then the error has the failure of the node as its cause. */
function isOutage({ code, cause }: DomainError): boolean {
  return code === 'DEADLINE_EXCEEDED' || (code === 'UNAVAILABLE' && cause !== undefined)
}

function nothing(says: string): CheckResult {
  return concluded([{ verdict: 'unknown', score: 50, flag: 'nothing_to_check', says }], {})
}

function readLimits(given: RiskThresholds | undefined): RiskLimits {
  const least = given?.min_liquidity_usd
  return {
    maxPriceImpactBps: given?.max_price_impact_bps ?? null,
    // The amount is rounded to cents, because a JSON number has no exact decimals.
    minLiquidityUsd: least === undefined ? null : parseUnits(least.toFixed(2), 18, 'thresholds.min_liquidity_usd'),
    maxTaxBps: given?.max_tax_bps ?? null,
    maxPriceDeviationBps: given?.max_price_deviation_bps ?? null,
    maxWhaleBps: given?.max_whale_bps ?? null,
  }
}
