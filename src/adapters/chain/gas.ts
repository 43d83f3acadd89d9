import type { Route } from '../../domain/ports/chains.ts'

/** Gas that swaps over such a route commonly use, for ranking routes and where a node cannot measure. */
export function usualGas({ venue, pools }: Route): bigint {
  return venue === 'wrapped_native' ? 60_000n : 180_000n + 110_000n * BigInt(pools.length - 1)
}

/** What an approval commonly uses, proxies counted. */
export const usualApproval = 80_000n

/** Head room over what a run used: the state of the block it is mined in differs. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n
