import { LRUCache } from 'lru-cache'
import { rpcBindings } from '../../contract/chain/chain.ts'
import { blockShownBy } from '../../domain/ports/node.ts'
import { isHash } from './wire-objects.ts'

/** Results that can never change, in bounded memory. All callers share them, so nobody may modify them. */
export type AnswerCache = {
  get(key: string): unknown
  keep(key: string, method: string, params: readonly unknown[], answer: unknown): void
  clear(): void
}

const maxBytes = 64 * 1_048_576

/**
 * Creates the cache of a chain whose blocks up to `finalized` are final. It stores results about a final block by its
 * number, results found by a hash, and state at a block hash. It never stores a result by a tag, or one that may still
 * appear: null, or an empty list, which a node returns before it has indexed a block.
 */
export function createCache(finalized: () => bigint): AnswerCache {
  const kept = new LRUCache<string, { answer: unknown }>({ maxSize: maxBytes, maxEntrySize: maxBytes / 16 })
  return {
    get: (key) => kept.get(key)?.answer,
    keep(key, method, params, answer) {
      if (answer === null || answer === undefined || (Array.isArray(answer) && answer.length === 0)) return
      const place = placeOf(method, params, answer)
      if (place === null || (place !== 'hash' && place > finalized())) return
      // An object needs about three times the memory of its JSON text.
      kept.set(key, { answer }, { size: key.length + 3 * JSON.stringify(answer).length })
    },
    clear: () => kept.clear(),
  }
}

/**
 * The block on which a result depends: its number, or that the call names it by hash; null where the result may change.
 */
function placeOf(method: string, params: readonly unknown[], answer: unknown): bigint | 'hash' | null {
  const binding = rpcBindings.get(method)
  const block = binding?.block === undefined ? undefined : params[binding.block]
  const byNumber = isQuantity(block)
  const byHash = isHash(block)
  if (!byNumber && !byHash && !binding?.params.includes('hash')) return null
  const shown = blockShownBy([answer].flat()[0])
  if (shown !== null) return shown
  if (byNumber) return BigInt(block)
  return byHash ? 'hash' : null
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
}
