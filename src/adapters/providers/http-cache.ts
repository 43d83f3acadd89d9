import { LRUCache } from 'lru-cache'

/** Answers that may be given again, of any number of providers. Keys are theirs to keep apart. */
export type AnswerCache = {
  /** The value and the moment at which it was kept. */
  get(key: string): { value: unknown; at: number } | undefined
  keep(key: string, value: unknown, milliseconds: number): void
}

const usualBytes = 64 * 1_048_576

/** Makes a cache that holds so many bytes at most, whoever they come from; those not asked for longest go first. */
export function createAnswerCache(mostBytes = usualBytes): AnswerCache {
  const answers = new LRUCache<string, { value: unknown; at: number }>({
    ...{ maxSize: mostBytes, maxEntrySize: mostBytes / 2, perf: performance },
  })
  return {
    get: (key) => answers.get(key),
    keep(key, value, milliseconds) {
      answers.set(key, { value, at: performance.now() }, { ttl: milliseconds, size: roomOf(key, value) })
    },
  }
}

/** Objects take about twice the room of their text. */
function roomOf(key: string, value: unknown): number {
  return key.length + 2 * (JSON.stringify(value)?.length ?? 0) + 1
}
