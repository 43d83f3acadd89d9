import { DomainError } from '../errors.ts'
import type { Chain, CheckResult, FeedPrice, Hex, RouteQuote, Token } from '../ports/chains.ts'
import { usdCentsText, usdValue } from './money.ts'
import { bpsBetween, priceImpactBps } from './price-impact.ts'
import { feedAge, isStale } from './prices.ts'
import { bestRoute } from './routing.ts'
import { knownToken } from './tokens.ts'

/** What a price check found, with the two facts that thresholds judge; null where they cannot be read. */
export type PriceCheck = CheckResult & {
  impactBps: number | null
  /** Value of the thinnest pool on the way in 1e-18 USD. */
  liquidityUsd: bigint | null
}

/** Basis points between the pools' price and the feeds' from which the difference is worth a word, or a stop. */
const limits = { noticed: 200n, alarming: 500n } as const

type Priced = { token: Token; feed: FeedPrice | null }

/** The pools' price against the feeds, the age of the feeds by the chain's clock, and the depth of the pools for the trade. */
export async function checkPrice(
  chain: Chain,
  trade: { tokenIn: Hex; tokenOut: Hex; amountIn: bigint | null },
): Promise<PriceCheck> {
  const sideIn = knownToken(chain, trade.tokenIn)
  const sideOut = knownToken(chain, trade.tokenOut)
  if (sideIn === null || sideOut === null)
    return unknown('unknown_token', 'A token of the pair is in no list of this chain.')
  const [tokenIn, tokenOut] = await Promise.all([priced(chain, sideIn), priced(chain, sideOut)])
  // Without an amount the pools are asked for a hundredth of a token, which no pool notices.
  const amountIn = trade.amountIn ?? 10n ** BigInt(Math.max(0, sideIn.decimals - 2))
  const { quotes, block } = await chain.quoteRoutes(sideIn.address, sideOut.address, amountIn)
  const best = bestRoute(quotes)
  if (best === null) return unknown('no_pool', 'No pool joins the two tokens.')
  const impactBps = trade.amountIn === null ? null : priceImpactBps({ ...best, feePips: best.route.feePips })
  const liquidityUsd = await thinnest(chain, best)
  const feeds = [tokenIn.feed, tokenOut.feed].filter((feed) => feed !== null)
  const finding = judge({ amountIn, best, tokenIn, tokenOut, now: block.timestamp })
  const details = {
    block: Number(block.number),
    venue: best.route.venue,
    price_impact_bps: impactBps,
    liquidity_usd: liquidityUsd === null ? null : usdCentsText(liquidityUsd),
    feeds: feeds.map((feed) => described(feed, block.timestamp)),
    ...finding.details,
  }
  return { ...finding, impactBps, liquidityUsd, details }
}

type Facts = { amountIn: bigint; best: RouteQuote; tokenIn: Priced; tokenOut: Priced; now: bigint }

/** Compares the pools with the feeds. What the feeds cannot prove is unknown. */
function judge({ amountIn, best, tokenIn, tokenOut, now }: Facts): CheckResult {
  if (tokenIn.feed === null || tokenOut.feed === null) {
    return finding('unknown', 50, ['no_feed'], {
      reason: 'No feed answers for one of the tokens, so there is nothing to compare with.',
    })
  }
  if (isStale(tokenIn.feed, now) || isStale(tokenOut.feed, now)) {
    return finding('unknown', 60, ['stale_feed'], {
      reason: 'A feed is older than its heartbeat, so it proves nothing.',
    })
  }
  const up = amountIn * tokenIn.feed.answer * 10n ** BigInt(tokenOut.token.decimals + tokenOut.feed.decimals)
  const byFeeds = up / (tokenOut.feed.answer * 10n ** BigInt(tokenIn.token.decimals + tokenIn.feed.decimals))
  // Each pool and the feeds' division round down by up to one smallest unit, which is much of a tiny amount.
  const deviation = bpsBetween(best.spotOut, byFeeds, BigInt(best.route.pools.length + 1))
  const details = { deviation_bps: Number(deviation) }
  if (deviation >= limits.alarming) return finding('fail', 85, ['price_deviates'], details)
  if (deviation >= limits.noticed) return finding('warn', 40, ['price_deviates'], details)
  return finding('pass', Number(deviation / 20n), [], details)
}

/** Twice what the thinnest pool of the way holds of a priced token; null where nothing prices a pool. */
async function thinnest(chain: Chain, { route }: RouteQuote): Promise<bigint | null> {
  const values = await Promise.all(
    route.pools.map(async (pool, index) => {
      for (const address of route.tokens.slice(index, index + 2)) {
        const token = knownToken(chain, address)
        const feed = token === null ? null : (await priced(chain, token)).feed
        if (token === null || feed === null) continue
        const { tokens } = await chain.balances(pool, [token.address])
        return 2n * usdValue(tokens[0] ?? 0n, token.decimals, feed.answer, feed.decimals)
      }
      return null
    }),
  )
  const known = values.filter((value) => value !== null)
  if (known.length < values.length) return null
  return known.sort((left, right) => (left < right ? -1 : 1))[0] ?? null
}

/** A feed that answers nonsense or nothing prices nothing; a chain that does not answer at all is a failure. */
async function priced(chain: Chain, token: Token): Promise<Priced> {
  if (token.usdFeed === null) return { token, feed: null }
  try {
    return { token, feed: await chain.price(token.usdFeed) }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'FAILED_PRECONDITION') return { token, feed: null }
    throw error
  }
}

function described(feed: FeedPrice, now: bigint): Record<string, unknown> {
  return {
    pair: feed.pair,
    address: feed.source,
    round_id: feed.roundId.toString(),
    age_seconds: feedAge(feed, now),
    heartbeat_seconds: feed.heartbeatSeconds,
  }
}

function finding(
  verdict: CheckResult['verdict'],
  score: number,
  flags: string[],
  details: Record<string, unknown>,
): CheckResult {
  return { verdict, score, flags, details }
}

function unknown(flag: string, reason: string): PriceCheck {
  return { ...finding('unknown', 50, [flag], { reason }), impactBps: null, liquidityUsd: null }
}
