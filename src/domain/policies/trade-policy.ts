import { DomainError } from '../core/errors.ts'
import { type Hex, nativeToken } from '../ports/chains.ts'
import type { Halt } from '../ports/halts.ts'
import type { Ports } from '../ports/index.ts'
import type { PolicyFacts, TradePolicy, TradingSettings } from '../ports/trade-policy.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { usdText } from '../values/money.ts'
import { openPrices } from '../values/prices.ts'
import type { Swap } from '../values/swap.ts'
import { plainToken } from '../values/tokens.ts'

/** Refuses while trading is off or an operator has halted it for this chain or wallet: UNAVAILABLE that says which. */
export async function demandTrading(
  ports: Pick<Ports, 'halts' | 'tradingSettings'>,
  chainId: number,
  wallet: Hex,
): Promise<void> {
  if (!ports.tradingSettings.enabled) {
    const settings = 'TRADING_ENABLED, MAX_TRADE_USD and MAX_DAILY_USD'
    throw new DomainError(
      'UNAVAILABLE',
      `Real trades are switched off here; the operator enables them by ${settings}. Simulate instead.`,
      { retryAfterSeconds: null },
    )
  }
  const halt = await ports.halts.covering(chainId, wallet)
  if (halt === null) return
  throw new DomainError('UNAVAILABLE', haltedBy(halt), { retryAfterSeconds: null })
}

function haltedBy(halt: Halt): string {
  const where = { global: 'everywhere', chain: `on chain ${halt.id}`, wallet: 'for this wallet' }[halt.scope]
  return `An operator has halted trading ${where}; try again once it is resumed.`
}

/** What the trade is worth in 1e-18 USD by the side that a fresh feed prices; null where none does. */
export async function worthOf(
  { chain, tokenIn, tokenOut, amountIn }: Swap,
  expectedOut: bigint,
): Promise<bigint | null> {
  const usd = openPrices(chain, { freshOnly: true })
  return (await usd(tokenIn.address, amountIn)) ?? (await usd(tokenOut.address, expectedOut))
}

/** A trade as the safeguards see it. `valueUsd` is in 1e-18 USD; null where nothing prices it. */
export type PolicyTrade = { chainId: number; tokens: readonly Hex[]; venue: string; valueUsd: bigint | null }

/** A quoted swap as the safeguards see it. */
export async function judgedTrade(swap: Swap, { expectedOut, route }: StoredQuote): Promise<PolicyTrade> {
  const tokens = [swap.tokenIn.address, swap.tokenOut.address]
  return { chainId: swap.chain.info.id, tokens, venue: route.venue, valueUsd: await worthOf(swap, expectedOut) }
}

/** As `forbiddenBy` of the trade alone, before anything is reserved: nothing else is counted, and it binds nobody. */
export async function forbiddenAlone(
  ports: Pick<Ports, 'tradingSettings' | 'walletPolicies'>,
  trade: PolicyTrade,
  wallet: Hex | null,
): Promise<string | null> {
  const walletPolicy = wallet === null ? null : await ports.walletPolicies.find(wallet)
  const alone = { accountUsd: 0n, walletUsd: 0n, walletPolicy, halt: null, quoteUsed: false }
  return forbiddenBy(trade, ports.tradingSettings, alone)
}

/**
 * Why a safeguard forbids the trade, in words that name it, or null. The configuration's policy binds the account, the
 * wallet's own binds the wallet. It is asked where the nonce is reserved, with what the account traded before.
 */
export function forbiddenBy(trade: PolicyTrade, settings: TradingSettings, facts: PolicyFacts): string | null {
  const { halt, walletPolicy, accountUsd, walletUsd } = facts
  if (halt !== null) return haltedBy(halt)
  const rules = { trade: 'MAX_TRADE_USD', day: 'MAX_DAILY_USD', whose: 'the account', lists: 'this gateway' }
  const ofWallet = { trade: "the wallet's cap", day: "the wallet's daily cap", whose: 'it', lists: 'this wallet' }
  const own = walletPolicy === null ? null : forbids(trade, walletPolicy, walletUsd, ofWallet)
  return forbids(trade, settings, accountUsd, rules) ?? own
}

type Words = { trade: string; day: string; whose: string; lists: string }

function forbids(trade: PolicyTrade, policy: TradePolicy, tradedUsd: bigint, words: Words): string | null {
  const { chains, venues, tokens } = policy
  if (chains !== null && !chains.includes(trade.chainId))
    return `The policy of ${words.lists} does not allow trades on chain ${trade.chainId}; it allows ${listed(chains)}.`
  if (venues !== null && !venues.includes(trade.venue))
    return `The policy of ${words.lists} does not allow ${trade.venue}; it allows ${listed(venues)}.`
  const allowed = tokens === null ? null : new Set(tokens.map(plainToken))
  const barred = trade.tokens.find((token) => allowed !== null && !allowed.has(plainToken(token)))
  if (tokens !== null && barred !== undefined)
    return `The policy of ${words.lists} does not allow ${tokenWords(barred)}; it allows ${tokensListed(tokens)}.`
  return overCap(trade.valueUsd, policy, tradedUsd, words)
}

function overCap(
  worth: bigint | null,
  { maxTradeUsd, maxDailyUsd }: TradePolicy,
  tradedUsd: bigint,
  words: Words,
): string | null {
  if (maxTradeUsd === null && maxDailyUsd === null) return null
  if (worth === null)
    return `No feed prices the trade, or it is older than its heartbeat, so that ${words.trade} and ${words.day} cannot be kept; trade priced tokens, or try again once the feed has answered.`
  if (maxTradeUsd !== null && worth > maxTradeUsd)
    return `The trade is worth ${usdText(worth)} USD, over ${words.trade} of ${usdText(maxTradeUsd)} USD${lessThan(maxTradeUsd)}.`
  if (maxDailyUsd !== null && tradedUsd + worth > maxDailyUsd)
    return `The trade is worth ${usdText(worth)} USD, and with it ${words.whose} would pass ${words.day} of ${usdText(maxDailyUsd)} USD in 24 hours${lessThan(maxDailyUsd, ', or later')}.`
  return null
}

/** What to do about a cap; one of zero leaves nothing to do. */
function lessThan(cap: bigint, otherwise = ''): string {
  return cap === 0n ? ', which lets nothing through' : `; trade less${otherwise}`
}

/** The native currency is a token of its own here, and allowing its wrapped token does not allow it. */
function tokenWords(token: Hex): string {
  return plainToken(token) === nativeToken ? `the native currency (${nativeToken})` : `the token ${token}`
}

/** Tokens of a policy that a refusal names; a policy may have more. */
const mostNamed = 10

function tokensListed(tokens: readonly Hex[]): string {
  const more = tokens.length - mostNamed
  return `${listed(tokens.slice(0, mostNamed))}${more > 0 ? ` and ${more} more` : ''}`
}

/** Names in a sentence, with commas; none where there are none. */
export function listed(values: readonly (string | number)[]): string {
  return values.length === 0 ? 'none' : values.join(', ')
}
