import type { Fail } from '../core/errors.ts'
import type { Grant } from '../ports/accounts.ts'
import { type Hex, nativeToken, type RouteQuote } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Halt, PolicyFacts, TradePolicy, TradingSettings } from '../ports/trade-policy.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { usdText } from '../values/money.ts'
import { openPrices } from '../values/prices.ts'
import type { Swap } from '../values/swap.ts'
import { plainToken } from '../values/tokens.ts'

/** The time over which daily caps count. */
export const capMs = 86_400_000

export type VenueNeeds = 'tradingSettings' | 'walletPolicies'

/** The venues that both the gateway's policy and the wallet's own allow; null where neither limits them. */
export async function allowedVenues(
  { tradingSettings, walletPolicies }: Pick<Ports, VenueNeeds>,
  wallet: Hex | null,
): Promise<readonly string[] | null> {
  const ofGateway = tradingSettings.venues
  const ofWallet = wallet === null ? null : ((await walletPolicies.find(wallet))?.venues ?? null)
  if (ofGateway === null || ofWallet === null) return ofGateway ?? ofWallet
  return ofGateway.filter((venue) => ofWallet.includes(venue))
}

/** The routes over allowed venues. Where there is none, all routes: the policy's refusal then names the venue. */
export function preferAllowed(quotes: readonly RouteQuote[], venues: readonly string[] | null): readonly RouteQuote[] {
  const allowed = venues === null ? quotes : quotes.filter(({ route }) => venues.includes(route.venue))
  return allowed.length === 0 ? quotes : allowed
}

/** UNAVAILABLE while real trades are switched off, or halted by an operator for this chain or wallet. */
export async function requireTrading(
  ports: Pick<Ports, 'halts' | 'tradingSettings'>,
  chainId: number,
  wallet: Hex,
  fail: Fail<'UNAVAILABLE'>,
): Promise<void> {
  if (!ports.tradingSettings.enabled) {
    const settings = 'TRADING_ENABLED, MAX_TRADE_USD and MAX_DAILY_USD'
    const message = `Real trades are switched off here. Simulate instead; the operator enables real trades with ${settings}.`
    throw fail('UNAVAILABLE', message, { retryAfterSeconds: null })
  }
  refuseHalted(await ports.halts.covering(chainId, wallet), fail)
}

/** UNAVAILABLE where an operator has halted trading, or the gateway itself has until an operator resumes it. */
export function refuseHalted(halt: Halt | null, fail: Fail<'UNAVAILABLE'>): void {
  if (halt === null) return
  if (halt.reason !== undefined) {
    const resume = `operator.resumeTrading (scope ${halt.scope}, id ${halt.id})`
    throw fail(
      'UNAVAILABLE',
      `${halt.reason} The operator compares the books with the chain, then lifts the halt with ${resume}. Try again once it is resumed.`,
      { retryAfterSeconds: null },
    )
  }
  const where = { global: 'everywhere', chain: `on chain ${halt.id}`, wallet: 'for this wallet' }[halt.scope]
  const message = `An operator has halted trading ${where}. Try again once it is resumed.`
  throw fail('UNAVAILABLE', message, { retryAfterSeconds: null })
}

/**
 * The facts that policies check. `valueUsd` is in 1e-18 USD, by the current feed of either token; null where there is
 * none.
 */
export type PolicyTrade = {
  chainId: number
  tokens: readonly Hex[]
  venue: string
  valueUsd: bigint | null
  /** True where the table of the chain has no price feeds at all. */
  feedless?: boolean
}

export async function policyTradeOf(swap: Swap, { expectedOut, route }: StoredQuote): Promise<PolicyTrade> {
  const { chain, tokenIn, tokenOut, amountIn } = swap
  const usd = openPrices(chain, { freshOnly: true })
  const valueUsd = (await usd(tokenIn.address, amountIn)) ?? (await usd(tokenOut.address, expectedOut))
  const tokens = [tokenIn.address, tokenOut.address]
  const feedless = chain.info.feedPairs.length === 0
  return { chainId: chain.info.id, tokens, venue: route.venue, valueUsd, feedless }
}

/**
 * `forbiddenBy` for the trade alone, without earlier trades: an early check. The binding check is made in the
 * transaction that reserves the nonce.
 */
export async function forbiddenByItself(
  ports: Pick<Ports, 'tradingSettings' | 'walletPolicies'>,
  trade: PolicyTrade,
  wallet: Hex | null,
  grant: Grant | null,
): Promise<string | null> {
  const walletPolicy = wallet === null ? null : await ports.walletPolicies.find(wallet)
  const facts = { accountUsd: 0n, walletUsd: 0n, sessionUsd: 0n, walletPolicy }
  return forbiddenBy(trade, ports.tradingSettings, facts, grant)
}

/**
 * Why a policy forbids the trade, or null. The gateway's policy counts what the account traded, the wallet's
 * own policy what the wallet traded, and the session's caps what the session traded.
 */
export function forbiddenBy(
  trade: PolicyTrade,
  settings: TradingSettings,
  facts: Omit<PolicyFacts, 'halt' | 'quoteUsed'>,
  grant: Grant | null,
): string | null {
  const { walletPolicy, accountUsd, walletUsd, sessionUsd } = facts
  const ofGateway = { trade: 'MAX_TRADE_USD', day: 'MAX_DAILY_USD', total: 'the account', name: 'this gateway' }
  const ofSession = { trade: "the session's cap", day: "the session's daily cap", total: 'it', name: 'this session' }
  const ofWallet = { trade: "the wallet's cap", day: "the wallet's daily cap", total: 'it', name: 'this wallet' }
  return (
    forbids(trade, settings, accountUsd, ofGateway) ??
    (walletPolicy === null ? null : forbids(trade, walletPolicy, walletUsd, ofWallet)) ??
    (grant === null ? null : overCap(trade, grant, sessionUsd, ofSession))
  )
}

/** How a refusal names the policy and its caps, and whose trades the daily cap counts. */
type PolicyNames = { trade: string; day: string; total: string; name: string }

function forbids(trade: PolicyTrade, policy: TradePolicy, tradedUsd: bigint, names: PolicyNames): string | null {
  const { chains, venues, tokens } = policy
  const refusal = `The policy of ${names.name} does not allow`
  if (chains !== null && !chains.includes(trade.chainId))
    return `${refusal} trades on chain ${trade.chainId}; it allows ${listed(chains)}.`
  if (venues !== null && !venues.includes(trade.venue)) return `${refusal} ${trade.venue}; it allows ${listed(venues)}.`
  const allowed = tokens === null ? null : new Set(tokens.map(plainToken))
  const barred = trade.tokens.find((token) => allowed !== null && !allowed.has(plainToken(token)))
  if (tokens !== null && barred !== undefined)
    return `${refusal} ${tokenName(barred)}; it allows ${tokensListed(tokens)}.`
  return overCap(trade, policy, tradedUsd, names)
}

function overCap(
  { valueUsd, chainId, feedless = false }: PolicyTrade,
  { maxTradeUsd, maxDailyUsd }: Pick<TradePolicy, 'maxTradeUsd' | 'maxDailyUsd'>,
  tradedUsd: bigint,
  names: PolicyNames,
): string | null {
  if (maxTradeUsd === null && maxDailyUsd === null) return null
  if (valueUsd === null && feedless)
    return `The table of chain ${chainId} has no price feeds, so no trade can be checked against ${names.trade} and ${names.day}. The operator sets CHAIN_TABLE to a table with feeds.`
  if (valueUsd === null)
    return `No feeds have a current price for the trade, so it cannot be checked against ${names.trade} and ${names.day}. Trade tokens with a price feed, or try again once the feed is updated.`
  if (maxTradeUsd !== null && valueUsd > maxTradeUsd)
    return `The trade is worth ${usdText(valueUsd)} USD, over ${names.trade} of ${usdText(maxTradeUsd)} USD${lessThan(maxTradeUsd)}.`
  if (maxDailyUsd !== null && tradedUsd + valueUsd > maxDailyUsd)
    return `The trade is worth ${usdText(valueUsd)} USD, and with it ${names.total} would pass ${names.day} of ${usdText(maxDailyUsd)} USD in 24 hours${lessThan(maxDailyUsd, ', or later')}.`
  return null
}

/** The advice on a cap; none for a cap of zero. */
function lessThan(cap: bigint, otherwise = ''): string {
  return cap === 0n ? ', which lets nothing through' : `; trade less${otherwise}`
}

/** A policy that allows the wrapped token does not allow the native currency. */
function tokenName(token: Hex): string {
  return plainToken(token) === nativeToken ? `the native currency (${nativeToken})` : `the token ${token}`
}

/** The most tokens that a refusal names. */
const mostNamed = 10

function tokensListed(tokens: readonly Hex[]): string {
  const more = tokens.length - mostNamed
  return `${listed(tokens.slice(0, mostNamed))}${more > 0 ? ` and ${more} more` : ''}`
}

/** Values joined by commas; `none` where the list is empty. */
export function listed(values: readonly (string | number)[]): string {
  return values.length === 0 ? 'none' : values.join(', ')
}
