import type { Log } from './whole-block.ts'

/** The logs of recently read blocks, in bounded memory. */
type LogCache = {
  /** The logs of a block, read with `read` where they are not cached. */
  of: (block: number, read: () => readonly Log[]) => readonly Log[]
  forget: (block: number) => void
}

/** The most cached logs. Each takes about 1 KB of memory. */
const maxLogs = 20_000

/** Creates an empty cache. Clients that poll for new logs read the same blocks again and again. */
export function createLogCache(): LogCache {
  const cached = new Map<number, readonly Log[]>()
  let count = 0

  function forget(block: number): void {
    count -= weightOf(cached.get(block))
    cached.delete(block)
  }

  return {
    of: (block, read) => {
      const logs = cached.get(block) ?? read()
      forget(block)
      cached.set(block, logs)
      count += weightOf(logs)
      for (const oldest of cached.keys()) {
        // The block that was just read stays, whatever its size: it is read again for each of its transactions.
        if (count <= maxLogs || oldest === block) break
        forget(oldest)
      }
      return logs
    },
    forget,
  }
}

/** A block without logs takes some memory too. */
function weightOf(logs: readonly Log[] | undefined): number {
  return logs === undefined ? 0 : 1 + logs.length
}
