import { z } from 'zod'
import { hasChecksum, wrongChecksum } from '../../../contract/shared/primitives.ts'

const address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  // Callers have to send addresses with their checksum, and take them from here.
  .refine(hasChecksum, wrongChecksum)

/** A token that the gateway may quote, with the feed that prices one unit of it in USD. */
const token = z.strictObject({
  symbol: z.string().min(1),
  address,
  decimals: z.int().min(0).max(36),
  /** Pair of the feed in `feeds`, for example `ETH/USD`; absent when nothing on chain prices the token. */
  usd_feed: z.string().optional(),
  /** The currency that its issuer keeps one unit at; the books measure trades by such a token first. */
  pegged: z.literal('USD').optional(),
  /** True for a token that exists only to try the risk checks on; it gets no trust from being listed. */
  test: z.boolean().optional(),
})

/** A price feed with Chainlink's interface. */
const feed = z.strictObject({
  pair: z.string().regex(/^[A-Z0-9]+\/[A-Z0-9]+$/),
  address,
  /** The longest time in seconds between two updates, after which the price is stale. */
  heartbeat_seconds: z.int().positive(),
  /** The change in basis points that causes an earlier update, as its operators publish it; absent where unknown. */
  deviation_bps: z.int().positive().optional(),
})

/**
 * The contracts of a chain that the gateway needs for trading. The embedded chain writes its table at start; those of
 * public chains are committed, and checked against the chain at start.
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
  /** The first block after the deployment of the contracts; absent where that was long ago. */
  first_traded_block: z.int().min(0).optional(),
  /**
   * The blocks after which one counts as safe and as finalized where the nodes do not know these tags or do not move them;
   * 32 and 128 unless given. 0 stands for a chain whose newest block is final.
   */
  safe_depth: z.int().min(0).optional(),
  finalized_depth: z.int().min(0).optional(),
  /** The URL of the public block explorer, where there is one. */
  explorer_url: z.url().optional(),
})

export type Deployment = z.infer<typeof deploymentSchema>

/** The tokens that a route may pass, and in which pools are priced: all except the test tokens. */
export function soundTokens({ tokens }: Deployment): Deployment['tokens'] {
  return tokens.filter((known) => known.test !== true)
}
