import type { Hex, Route } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import type { Connection } from './connection.ts'

/** Gas of an initialized tick that the price passes. */
const gasOfTick = 25_000n

/** Typical gas of swaps over such a route, for ranking routes and where a node cannot estimate. */
export function usualGas({ venue, pools }: Route, ticksPassed = 0): bigint {
  if (venue === 'wrapped_native') return 60_000n
  return 180_000n + 110_000n * BigInt(pools.length - 1) + gasOfTick * BigInt(ticksPassed)
}

/** Typical gas of an approval, proxies included. */
export const usualApproval = 80_000n

/** The margin over the measured gas: the state of the block in which it is mined differs. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n

/** The gas of an empty transaction on most chains, which is the least on any. */
const bareTransaction = 21_000n

/** The gas limit of an empty transaction to the own account; chains that charge for its bytes estimate more. */
export async function emptyGas({ client }: Connection, account: Hex): Promise<bigint> {
  try {
    const used = await client.estimateGas({ account, to: account, value: 0n })
    return used > bareTransaction ? withMargin(used) : bareTransaction
  } catch (error) {
    if (isSilence(error)) throw error
    return bareTransaction
  }
}
