import type { Chain, FeedPrice, Head, Hex, RouteQuote, Token } from '../ports/chains.ts'
import { formatUnits, usdCentsText, usdValue } from '../values/money.ts'
import { bpsBetween, priceImpactBps } from '../values/price-impact.ts'
import { currentPrice, feedAge, isStale, readFeed } from '../values/prices.ts'
import { bestRoute } from '../values/routing.ts'
import { knownToken } from '../values/tokens.ts'
import { judgeLiquidity, judgeMeasure, measures, type RiskLimits, unjudged } from './risk-limits.ts'
import { type CheckResult, concluded, type Finding } from './risk-rules.ts'

const source = "the pools' reserves and the chain's price feeds"

/**
 * A pair and an amount, in the tokens of the pools; `pools` are those of the route to check, by default those of the
 * best route.
 */
export type PricedTrade = { tokenIn: Hex; tokenOut: Hex; amountIn: bigint | null; pools?: readonly Hex[] }

/**
 * Checks the pools' price against the feeds, the age of the feeds by the chain's clock, the depth of the pools and the
 * price impact of the trade.
 */
export async function checkPrice(chain: Chain, trade: PricedTrade, limits: RiskLimits): Promise<CheckResult> {
  const [sideIn, sideOut] = [knownToken(chain, trade.tokenIn), knownToken(chain, trade.tokenOut)]
  if (sideIn === null || sideOut === null)
    return await unmade(chain, limits, 'unknown_token', 'A token of the pair is in no list of this chain.')
  // Without an amount a hundredth of a token is priced, which no pool notices.
  const amountIn = trade.amountIn ?? 10n ** BigInt(Math.max(0, sideIn.decimals - 2))
  const [feedIn, feedOut, { quotes, block }] = await Promise.all([
    readFeed(chain, sideIn),
    readFeed(chain, sideOut),
    chain.quoteRoutes(sideIn.address, sideOut.address, amountIn),
  ])
  const best = bestRoute(quotes.filter(({ route }) => trade.pools === undefined || samePools(route.pools, trade.pools)))
  if (best === null) return await unmade(chain, limits, 'no_pool', 'No pool fills the trade.')
  const thinnest = await thinnestPool(chain, best)
  const liquidityUsd = thinnest === 'unreadable' ? null : thinnest
  const facts = {
    amountIn,
    liquidityUsd,
    spotOut: best.spotOut,
    hops: best.route.pools.length,
    impactBps: trade.amountIn === null ? null : priceImpactBps({ ...best, feePips: best.route.feePips }),
    tokenIn: { token: sideIn, feed: reading(feedIn, block) },
    tokenOut: { token: sideOut, feed: reading(feedOut, block) },
  }
  const { findings, deviationBps } = judgePrice(facts, limits)
  return concluded(thinnest === 'unreadable' ? [unreadable, ...findings] : findings, {
    block: Number(block.number),
    source,
    venue: best.route.venue,
    pools: [...best.route.pools],
    amount_in: trade.amountIn === null ? null : formatUnits(amountIn, sideIn.decimals),
    price_impact_bps: facts.impactBps,
    liquidity_usd: liquidityUsd === null ? null : usdCentsText(liquidityUsd),
    deviation_bps: deviationBps,
    feeds: [feedIn, feedOut].filter((feed) => feed !== null).map((feed) => described(feed, block.timestamp)),
  })
}

function samePools(left: readonly Hex[], right: readonly Hex[]): boolean {
  return left.join().toLowerCase() === right.join().toLowerCase()
}

async function unmade(chain: Chain, limits: RiskLimits, flag: string, says: string): Promise<CheckResult> {
  const { number } = await chain.head()
  const findings = [{ verdict: 'unknown', score: 50, flag, says } as const, ...unjudged('price_sanity', limits)]
  return concluded(findings, { block: Number(number), source })
}

function reading(feed: FeedPrice | null, { timestamp }: Head): FeedReading | null {
  if (feed === null) return null
  const { pair, answer, decimals, heartbeatSeconds } = feed
  const ageSeconds = feedAge(feed, timestamp)
  return { pair, answer, decimals, ageSeconds, heartbeatSeconds, stale: isStale(feed, timestamp) }
}

const unreadable: Finding = {
  verdict: 'unknown',
  score: 50,
  flag: 'pool_unreadable',
  says: 'The balances of a pool of the trade cannot be read, so it may be empty.',
}

/** In 1e-18 USD; null where no fresh feed prices the pool, or its tokens return no balance. */
type Worth = bigint | null | 'unreadable'

/** Twice the smallest holding of a priced token among the route's pools. */
async function thinnestPool(chain: Chain, { route }: RouteQuote): Promise<Worth> {
  const values = await Promise.all(
    route.pools.map((pool, hop) => worthOfPool(chain, pool, route.tokens.slice(hop, hop + 2))),
  )
  const known = values.filter((value) => typeof value === 'bigint')
  if (known.length < values.length) return values.includes('unreadable') ? 'unreadable' : null
  return known.sort((left, right) => (left < right ? -1 : 1))[0] ?? null
}

async function worthOfPool(chain: Chain, pool: Hex, tokens: readonly Hex[]): Promise<Worth> {
  let worth: Worth = null
  for (const token of tokens.map((address) => knownToken(chain, address)).filter(isThere)) {
    const feed = await currentPrice(chain, token)
    if (feed === null) continue
    const { tokens: held } = await chain.balances(pool, [token.address], undefined, 'tokens')
    if (held[0] != null) return 2n * usdValue(held[0], token.decimals, feed.answer, feed.decimals)
    worth = 'unreadable'
  }
  return worth
}

function isThere(token: Token | null): token is Token {
  return token !== null
}

function described(feed: FeedPrice, now: bigint): Record<string, unknown> {
  return {
    pair: feed.pair,
    address: feed.source,
    round_id: feed.roundId.toString(),
    answer_usd: formatUnits(feed.answer, feed.decimals),
    age_seconds: feedAge(feed, now),
    heartbeat_seconds: feed.heartbeatSeconds,
  }
}

/** A feed's price and its age by the chain's clock. */
type FeedReading = {
  pair: string
  answer: bigint
  decimals: number
  ageSeconds: number
  heartbeatSeconds: number
  stale: boolean
}

type Side = { token: { symbol: string; decimals: number }; feed: FeedReading | null }

/** The facts about a trade's price. Amounts in smallest units, liquidity in 1e-18 USD. */
export type PriceFacts = {
  amountIn: bigint
  /** What `amountIn` would yield at the pools' current price. */
  spotOut: bigint
  hops: number
  tokenIn: Side
  tokenOut: Side
  /** Null where there is no trade. */
  impactBps: number | null
  /** Null where the pools' tokens have no current feed price. */
  liquidityUsd: bigint | null
}

/** Compares the pools with the feeds, and their depth with the trade. Without a current feed price it is unknown. */
export function judgePrice(
  facts: PriceFacts,
  limits: RiskLimits,
): { findings: Finding[]; deviationBps: number | null } {
  const sides = [facts.tokenIn, facts.tokenOut]
  const doubts = sides.flatMap(doubtOf)
  const deviationBps = doubts.length === 0 ? deviationOf(facts) : null
  const impact = (bps: number) => `The trade would move the price by ${bps} basis points.`
  const deviation = (bps: number) => `The pools are ${bps} basis points off the price of the feeds.`
  return {
    deviationBps,
    findings: [
      ...doubts,
      ...judgeMeasure(measures.deviation, deviationBps, limits.maxPriceDeviationBps, deviation),
      // Without a trade there is no impact.
      ...judgeMeasure(measures.impact, facts.impactBps ?? 0, limits.maxPriceImpactBps, impact),
      ...judgeLiquidity(facts.liquidityUsd, limits.minLiquidityUsd),
    ],
  }
}

function doubtOf({ token, feed }: Side): Finding[] {
  if (feed === null || feed.answer <= 0n) {
    const says = `No feed has a price of ${token.symbol}, so its price cannot be checked.`
    return [{ verdict: 'unknown', score: 50, flag: 'no_feed', says }]
  }
  if (!feed.stale) return []
  const says = `The feed ${feed.pair} is ${feed.ageSeconds} seconds old, and its heartbeat is ${feed.heartbeatSeconds} seconds, so its price cannot be relied on.`
  return [{ verdict: 'unknown', score: 60, flag: 'stale_feed', says }]
}

function deviationOf({ amountIn, spotOut, hops, tokenIn, tokenOut }: PriceFacts): number | null {
  if (tokenIn.feed === null || tokenOut.feed === null) return null
  const up = amountIn * tokenIn.feed.answer * 10n ** BigInt(tokenOut.token.decimals + tokenOut.feed.decimals)
  const byFeeds = up / (tokenOut.feed.answer * 10n ** BigInt(tokenIn.token.decimals + tokenIn.feed.decimals))
  // Each pool and the division round down by up to one smallest unit, which matters for tiny amounts.
  return Number(bpsBetween(spotOut, byFeeds, BigInt(hops + 1)))
}
