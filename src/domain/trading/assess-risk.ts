import type { z } from 'zod'
import type { contract } from '../../contract/index.ts'
import type { quoteToAssess, riskCheckNames, riskReport, riskThresholds } from '../../contract/values.ts'
import { DomainError, invalid } from '../errors.ts'
import type { Handler } from '../handler.ts'
import type { Chain, CheckResult, Hex } from '../ports/chains.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { parseUnits } from './money.ts'
import { checkPrice } from './price-sanity.ts'
import { presentQuote } from './quote.ts'
import { judgeThresholds, levelOf, scoreOf, type Thresholds, worseVerdict } from './risk-rules.ts'
import { asHex, chainOf } from './tokens.ts'

type CheckName = (typeof riskCheckNames)[number]
type RiskReport = z.input<typeof riskReport>

/** What to assess: tokens to look at, and the trade where there is one. */
export type Assessment = {
  chain: Chain
  tokens: readonly Hex[]
  trade: { tokenIn: Hex; tokenOut: Hex; amountIn: bigint | null } | null
  checks: readonly CheckName[]
  thresholds: z.output<typeof riskThresholds> | undefined
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
  const tokens = [...new Map(assessment.tokens.map((token) => [token.toLowerCase(), token])).values()]
  const names =
    assessment.checks.length === 0 ? (['rug', 'whale_flow', 'price_sanity'] as const) : [...new Set(assessment.checks)]
  const results = await Promise.all(names.map((name) => run(name, { ...assessment, tokens })))
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

/** Every field that is sent must be the stored quote's own; amounts and moments are compared by value. */
function refuseDifferent(ours: ReturnType<typeof presentQuote>, sent: z.output<typeof quoteToAssess>): void {
  const plain = (text: string | undefined) =>
    text
      ?.replace(/^0+(?=\d)/, '')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  const amounts: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['expected_out', plain(ours.expected_out), plain(sent.expected_out)],
    ['minimum_out', plain(ours.minimum_out), plain(sent.minimum_out)],
    ['gas_estimate', plain(ours.gas_estimate), plain(sent.gas_estimate)],
    ['fees.protocol_fee', plain(ours.fees.protocol_fee), plain(sent.fees?.protocol_fee)],
    ['fees.gas_estimate', plain(ours.fees.gas_estimate), plain(sent.fees?.gas_estimate)],
    ['slippage_bps', String(ours.slippage_bps), String(sent.slippage_bps)],
    [
      'price_impact_bps',
      String(ours.price_impact_bps),
      sent.price_impact_bps === undefined ? undefined : String(sent.price_impact_bps),
    ],
    ['venue', ours.venue, sent.venue],
    ['expires_at', ours.expires_at, new Date(sent.expires_at).toISOString()],
    ['route', ours.route.join().toLowerCase(), sent.route?.join().toLowerCase()],
  ]
  for (const [field, own, other] of amounts) {
    if (other !== undefined && own !== other) {
      throw invalid(
        `quote.${field}`,
        'differs from the quote of that id; send the quote as it was answered',
        'quote_differs',
      )
    }
  }
}
