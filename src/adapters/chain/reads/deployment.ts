import { z } from 'zod'

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])

/** A token that the gateway may quote, with the feed that prices one unit of it in USD. */
const token = z.strictObject({
  symbol: z.string().min(1),
  address,
  decimals: z.int().min(0).max(36),
  /** Pair of the feed in `feeds`, for example `ETH/USD`; absent when nothing on chain prices the token. */
  usd_feed: z.string().optional(),
  /** True for a token that is kept only to try the risk checks on: nothing in its favour is taken for granted. */
  test: z.boolean().optional(),
})

/** A Chainlink-shaped price feed. */
const feed = z.strictObject({
  pair: z.string().regex(/^[A-Z0-9]+\/[A-Z0-9]+$/),
  address,
  /** Longest time in seconds between two answers before the price counts as stale. */
  heartbeat_seconds: z.int().positive(),
  /** The change in basis points that makes it answer earlier, as its operators publish it; absent where unknown. */
  deviation_bps: z.int().positive().optional(),
})

/**
 * What the gateway must know of a chain to trade on it: one shape for the embedded chain, which writes it at start,
 * and for public chains, whose tables are committed and checked against the chain on connect.
 */
export const deploymentSchema = z.strictObject({
  chain_id: z.int().positive(),
  name: z.string().min(1),
  native_symbol: z.string().min(1),
  block_time_seconds: z.number().positive(),
  wrapped_native: address,
  multicall3: address,
  uniswap_v2: z.strictObject({ factory: address, router: address }),
  uniswap_v3: z.strictObject({
    factory: address,
    quoter: address,
    router: address,
    fee_tiers: z.array(z.int().positive()),
  }),
  tokens: z.array(token).min(1),
  feeds: z.array(feed),
  native_usd_feed: z.string(),
  /** The first block that is trade and not the making of the chain's contracts; absent where that was long ago. */
  first_traded_block: z.int().min(0).optional(),
  /** Address of the public block explorer, where there is one. */
  explorer_url: z.url().optional(),
})

export type Deployment = z.infer<typeof deploymentSchema>

/** The tokens that a trade may pass on its way, and that others are paid with: all but those to try risk checks on. */
export function soundTokens({ tokens }: Deployment): Deployment['tokens'] {
  return tokens.filter((known) => known.test !== true)
}
