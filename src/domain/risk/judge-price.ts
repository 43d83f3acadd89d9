import { bpsBetween } from '../values/price-impact.ts'
import { judgeLiquidity, judgeMeasure, measures, type RiskLimits } from './risk-limits.ts'
import type { Finding } from './risk-rules.ts'

/** A feed's price and its age by the chain's clock. */
export type FeedReading = {
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
