import type { contract } from '../../contract/index.ts'
import type { InputOf, OutputOf } from '../../contract/operation.ts'
import { DomainError, invalid } from '../errors.ts'
import type { Handler } from '../handler.ts'
import type { Chain, CheckResult, Hex } from '../ports/chains.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { parseUnits } from './money.ts'
import { checkPrice } from './price-sanity.ts'
import { presentQuote } from './quote.ts'
import { refuseDifferent } from './quote-sent-back.ts'
import { judgeThresholds, levelOf, scoreOf, type Thresholds, worseVerdict } from './risk-rules.ts'
import { asHex, chainOf, knownToken, pooledToken } from './tokens.ts'

type RiskInput = InputOf<typeof contract.trading.assessRisk>
type CheckName = RiskInput['input']['checks'][number]

/** A risk report as it is answered, and the limits that a caller may set for it. */
export type RiskReport = OutputOf<typeof contract.trading.assessRisk>
export type RiskThresholds = NonNullable<RiskInput['thresholds']>

/** What to assess: tokens to look at, and the trade where there is one. */
export type Assessment = {
  chain: Chain
  tokens: readonly Hex[]
  trade: { tokenIn: Hex; tokenOut: Hex; amountIn: bigint | null } | null
  checks: readonly CheckName[]
  thresholds: RiskThresholds | undefined
  /** Flags that the caller has found already, such as `quote_expired`. */
  flags?: readonly string[]
}

/** Assesses a quote: one of ours is loaded and must be unchanged, any other is assessed as given and flagged. */
export const assessRisk: Handler<typeof contract.trading.assessRisk, 'chains' | 'clock' | 'quotes'> = async (
  ports,
  input,
  call,
) => {
  const stored = await ports.quotes.find(call.principal.userId, input.quote.quote_id)
  if (stored !== null) refuseDifferent(presentQuote(stored, ports.chains), input.quote)
  const given = input.input.chain_id
  if (stored !== null && given !== undefined && given !== stored.chainId) {
    throw invalid('input.chain_id', `the quote is of chain ${stored.chainId}; leave chain_id out or send that one`)
  }
  const chain =
    stored === null && given === undefined
      ? ports.chains.default
      : chainOf(ports.chains, stored?.chainId ?? given ?? 0, 'input.chain_id')
  const expiresAt = stored?.expiresAt ?? new Date(input.quote.expires_at)
  return await assess({
    chain,
    ...subject(stored, input.quote.route ?? [], input.input.addresses),
    checks: input.input.checks,
    thresholds: input.thresholds,
    flags: [
      ...(stored === null ? ['quote_unverified'] : []),
      ...(expiresAt <= ports.clock.now() ? ['quote_expired'] : []),
    ],
  })
}

/** The tokens and the trade of a quote of ours, else of the addresses that the caller names. */
function subject(
  stored: StoredQuote | null,
  route: readonly string[],
  addresses: readonly string[],
): Pick<Assessment, 'tokens' | 'trade'> {
  const named = addresses.map(asHex)
  if (stored !== null) {
    const { tokenIn, tokenOut, amountIn } = stored
    return { tokens: [tokenIn, tokenOut, ...named], trade: { tokenIn, tokenOut, amountIn } }
  }
  const way = route.map(asHex)
  const [tokenIn, tokenOut] = way.length >= 2 ? [way[0], way.at(-1)] : [named[0], named[1]]
  const trade =
    tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut
      ? null
      : { tokenIn, tokenOut, amountIn: null }
  return { tokens: [...named, ...way], trade }
}

/** Makes the checks side by side and sums them up. Thresholds are judged with the price check, or alone where it is not asked for. */
export async function assess(assessment: Assessment): Promise<RiskReport> {
  const { chain } = assessment
  const asListed = (token: Hex) => pooledToken(chain, knownToken(chain, token)?.address ?? token)
  const tokens = [...new Set(assessment.tokens.map(asListed))]
  const names =
    assessment.checks.length === 0 ? (['rug', 'whale_flow', 'price_sanity'] as const) : [...new Set(assessment.checks)]
  const trade = pooledTrade(chain, assessment.trade)
  const results = await Promise.all(names.map((name) => run(name, { ...assessment, tokens, trade })))
  const flags = [...new Set([...(assessment.flags ?? []), ...results.flatMap((result) => result.flags)])]
  return {
    level: levelOf(results),
    aggregate_score: scoreOf(results),
    checks: results.map((result, index) => ({
      name: names[index] ?? 'rug',
      result: result.verdict,
      details: { ...result.details, chain_id: chain.info.id },
    })),
    flags,
  }
}

/** The trade in the tokens of the pools; none where the native currency is only wrapped. */
function pooledTrade(chain: Chain, trade: Assessment['trade']): Assessment['trade'] {
  if (trade === null) return null
  const [tokenIn, tokenOut] = [pooledToken(chain, trade.tokenIn), pooledToken(chain, trade.tokenOut)]
  return tokenIn.toLowerCase() === tokenOut.toLowerCase() ? null : { ...trade, tokenIn, tokenOut }
}

async function run(name: CheckName, assessment: Assessment): Promise<CheckResult> {
  const { chain, tokens } = assessment
  if (name === 'rug') return await perToken(tokens, (token) => chain.checkRug(token))
  if (name === 'whale_flow') return await perToken(tokens, (token) => chain.checkWhaleFlow(token))
  return await priceSanity(assessment)
}

/** A check of each token; the worst counts. A check that fails to be made is unknown, and says why. */
async function perToken(tokens: readonly Hex[], check: (token: Hex) => Promise<CheckResult>): Promise<CheckResult> {
  if (tokens.length === 0) return nothing('Name tokens in input.addresses, or send a quote of ours.')
  const results = await Promise.all(tokens.map((token) => attempted(() => check(token))))
  return {
    verdict: results.map((result) => result.verdict).reduce(worseVerdict),
    score: Math.max(...results.map((result) => result.score)),
    flags: [...new Set(results.flatMap((result) => result.flags))],
    details: {
      tokens: results.map((result, index) => ({
        address: tokens[index],
        result: result.verdict,
        flags: [...result.flags],
        ...result.details,
      })),
    },
  }
}

async function priceSanity({ chain, tokens, trade, thresholds }: Assessment): Promise<CheckResult> {
  const pair = trade ?? pairFor(chain, tokens)
  if (pair === null) return nothing('Name the tokens of the trade in input.addresses, or send a quote of ours.')
  const measured = { impactBps: null, liquidityUsd: null }
  const found = await attempted(() => checkPrice(chain, pair), measured)
  const limits = judgeThresholds(found, readThresholds(thresholds))
  return {
    verdict: worseVerdict(found.verdict, limits.verdict),
    score: Math.max(found.score, limits.score),
    flags: [...found.flags, ...limits.flags],
    details: { ...found.details, token_in: pair.tokenIn, token_out: pair.tokenOut },
  }
}

/** A single token is priced against the wrapped native currency, or against another known token where it is that itself. */
function pairFor(chain: Chain, tokens: readonly Hex[]): Assessment['trade'] {
  const [token] = tokens
  if (token === undefined) return null
  const others = [
    chain.info.wrappedNative,
    ...chain.info.tokens.filter(({ usdFeed }) => usdFeed !== null).map(({ address }) => address),
  ]
  const other = others.find((address) => address.toLowerCase() !== token.toLowerCase())
  return other === undefined ? null : { tokenIn: token, tokenOut: other, amountIn: null }
}

async function attempted<T extends object>(
  check: () => Promise<CheckResult & T>,
  absent = {} as T,
): Promise<CheckResult & T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...absent, verdict: 'unknown', score: 50, flags: ['check_failed'], details: { reason: error.message } }
  }
}

function nothing(reason: string): CheckResult {
  return { verdict: 'unknown', score: 50, flags: ['nothing_to_check'], details: { reason } }
}

function readThresholds(given: Assessment['thresholds']): Thresholds {
  const least = given?.min_liquidity_usd
  return {
    maxPriceImpactBps: given?.max_price_impact_bps ?? null,
    // Two digits are more than a limit in dollars can mean; a JSON number has no exact ones to lose.
    minLiquidityUsd: least === undefined ? null : parseUnits(least.toFixed(2), 18, 'thresholds.min_liquidity_usd'),
  }
}
