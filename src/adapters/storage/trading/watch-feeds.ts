import type { Database } from '../connection/database.ts'
import { AccountFeedEntity } from '../entities/account-feed.ts'
import { feedTopic, haltFeed } from '../feed/feed-events.ts'

/**
 * Returns a function that watches the feed of an account until it is disposed. Signals report events;
 * those of other processes whose hint is lost are found by one statement every `pollMs` for all watched accounts together,
 * only while there are some. With SQLite there are no others.
 */
export function watchFeeds(database: Database, pollMs: number): (userId: number) => Disposable {
  const watched = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  const poll = pollOthers(database, () => [...watched.keys()])

  function stop(userId: number): void {
    const left = (watched.get(userId) ?? 0) - 1
    if (left > 0) watched.set(userId, left)
    else watched.delete(userId)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (userId) => {
    watched.set(userId, (watched.get(userId) ?? 0) + 1)
    if (database.dialect === 'postgresql') timer ??= setInterval(poll, pollMs).unref()
    return { [Symbol.dispose]: () => stop(userId) }
  }
}

/** Returns a poll that notifies of each feed whose newest number is another than at the last poll. */
function pollOthers({ tables, signals }: Database, accounts: () => number[]): () => void {
  const seen = new Map<number, number>()
  let running = false

  async function look(): Promise<void> {
    const where = { userId: [haltFeed, ...accounts()] }
    const rows = await tables.find(AccountFeedEntity, where)
    const before = new Map(seen)
    seen.clear()
    for (const { userId, last } of rows) {
      seen.set(userId, last)
      if (before.get(userId) !== last) signals.hint(feedTopic(userId))
    }
  }

  return () => {
    if (running) return
    running = true
    // A failed poll is repeated at the next interval.
    look()
      .catch(() => undefined)
      .finally(() => {
        running = false
      })
  }
}
