import type { Hex } from 'viem'

/** Each transaction that waits is looked up before each block, and all of them are in one file of the log. */
const most = { transactions: 2_000, bytes: 32 * 1_048_576 }

/** May no further transaction wait for its block. */
export function isFull(pending: ReadonlyMap<Hex, Hex>): boolean {
  if (pending.size >= most.transactions) return true
  let bytes = 0
  for (const raw of pending.values()) bytes += raw.length / 2
  return bytes >= most.bytes
}
