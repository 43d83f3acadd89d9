import { LRUCache } from 'lru-cache'

/** Cached responses of any number of providers. Their keys must differ. */
export type ResponseCache = {
  /** The value and the time at which it was stored. */
  get(key: string): { value: unknown; at: number } | undefined
  /** Stores a value of this age for the rest of so many milliseconds. */
  set(key: string, value: unknown, milliseconds: number, ageMs?: number): void
}

const usualBytes = 64 * 1_048_576

/** Creates a cache of at most `mostBytes` over all providers; the least recently used responses are removed first. */
export function createResponseCache(mostBytes = usualBytes): ResponseCache {
  const responses = new LRUCache<string, { value: unknown; at: number }>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes / 2,
    perf: performance,
  })
  return {
    get: (key) => responses.get(key),
    set(key, value, milliseconds, ageMs = 0) {
      const ttl = milliseconds - ageMs
      responses.set(key, { value, at: performance.now() - ageMs }, { ttl, size: bytesOf(key, value) })
    },
  }
}

/** An object takes about twice the memory of its text. */
function bytesOf(key: string, value: unknown): number {
  return key.length + 2 * (JSON.stringify(value)?.length ?? 0) + 1
}
