import type { Log } from './whole-block.ts'

/** The logs of the blocks that were asked for last, in bounded memory. */
export type RecentLogs = {
  of: (block: number, read: () => readonly Log[]) => readonly Log[]
  forget: (block: number) => void
}

/** Some 1 KB each in memory. */
const mostLogs = 20_000

/** Makes the memory; those who look for new logs look through the same blocks again and again. */
export function keepLogs(): RecentLogs {
  const kept = new Map<number, readonly Log[]>()
  let count = 0

  function forget(block: number): void {
    count -= weightOf(kept.get(block))
    kept.delete(block)
  }

  return {
    of: (block, read) => {
      const logs = kept.get(block) ?? read()
      forget(block)
      kept.set(block, logs)
      count += weightOf(logs)
      for (const oldest of kept.keys()) {
        // The block asked for stays, however many it has: it is read again for each of its transactions.
        if (count <= mostLogs || oldest === block) break
        forget(oldest)
      }
      return logs
    },
    forget,
  }
}

/** A block without logs takes some room too. */
function weightOf(logs: readonly Log[] | undefined): number {
  return logs === undefined ? 0 : 1 + logs.length
}
