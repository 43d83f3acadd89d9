import type { Hex } from '../../domain/ports/chains.ts'
import { createFeed } from '../async/feed.ts'
import type { Upstream } from './upstream.ts'

/** Transactions as they begin to wait, and those of the last while. */
export type Pending = Disposable & {
  /** Takes a hash that was learnt otherwise; one that is known already is not told again. */
  note(hash: Hex): void
  from(signal: AbortSignal): AsyncGenerator<Hex, void, undefined>
  /** Those first seen from one moment until just before another. */
  between(from: Date, until: Date): readonly Hex[]
}

const remembered = 10_000
const patience = 10_000

/** Remembers the hashes that the upstream tells of, and tells each to every reader once. */
export function keepPending(upstream: Pick<Upstream, 'onPending'>): Pending {
  /** When each was first seen, oldest first. */
  const seen = new Map<Hex, number>()
  const feed = createFeed<Hex>(patience)
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
