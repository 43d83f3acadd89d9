import type { Hex } from '../../domain/ports/chains.ts'
import { createFeed } from '../async/feed.ts'
import type { Upstream } from './upstream.ts'

/** The hashes of new pending transactions, and the last 10,000 of them. */
type Pending = Disposable & {
  /** Adds a hash from another source; a known one is not reported again. */
  note(hash: Hex): void
  from(signal: AbortSignal): AsyncGenerator<Hex, void, undefined>
  /** The hashes first seen in a time range; its end is excluded. */
  between(from: Date, until: Date): readonly Hex[]
}

const remembered = 10_000
const mostWaiting = 10_000

/** Stores the hashes that the upstream reports, and sends each to every reader once. */
export function keepPending(upstream: Pick<Upstream, 'onPending'>): Pending {
  /** The time when each was first seen, oldest first. */
  const seen = new Map<Hex, number>()
  const feed = createFeed<Hex>(mostWaiting)
  const note = (hash: Hex) => {
    if (seen.has(hash)) return
    seen.set(hash, Date.now())
    for (const oldest of seen.keys()) {
      if (seen.size <= remembered) break
      seen.delete(oldest)
    }
    feed.publish(hash)
  }
  const stop = upstream.onPending(note)
  return {
    note,
    from: feed.read,
    between: (from, until) =>
      [...seen].flatMap(([hash, at]) => (at >= from.getTime() && at < until.getTime() ? [hash] : [])),
    [Symbol.dispose]() {
      stop()
      feed.end()
    },
  }
}
