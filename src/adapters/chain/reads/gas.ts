import type { Hex, Route } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import type { Connection } from './connection.ts'

/** Gas that swaps over such a route commonly use, for ranking routes and where a node cannot measure. */
export function usualGas({ venue, pools }: Route): bigint {
  return venue === 'wrapped_native' ? 60_000n : 180_000n + 110_000n * BigInt(pools.length - 1)
}

/** What an approval commonly uses, proxies counted. */
export const usualApproval = 80_000n

/** Head room over what a run used: the state of the block it is mined in differs. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n

/** What a transaction that does nothing uses on most chains, and nowhere less. */
const bareTransaction = 21_000n

/** What one of the account to itself may use: chains that count other things too, such as its bytes, say so. */
export async function emptyGas({ client }: Connection, account: Hex): Promise<bigint> {
  try {
    const used = await client.estimateGas({ account, to: account, value: 0n })
    return used > bareTransaction ? withMargin(used) : bareTransaction
  } catch (error) {
    if (isSilence(error)) throw error
    return bareTransaction
  }
}
