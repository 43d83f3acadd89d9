import { LRUCache } from 'lru-cache'
import { rpcBindings } from '../../contract/chain/chain.ts'
import { blockShownBy } from '../../domain/ports/node.ts'
import { isHash, isQuantity } from '../../kit/hex.ts'

/** Results that can never change, in bounded memory. All callers share them, so nobody may modify them. */
type ResultCache = {
  get(key: string): unknown
  keep(key: string, method: string, params: readonly unknown[], result: unknown): void
  clear(): void
}

const maxBytes = 64 * 1_048_576

/**
 * Creates the cache of a chain whose blocks up to `finalized` are final. It stores results about a final block, found
 * by number or by hash, and state at a block hash. It never stores a result by a tag, or one that may still appear:
 * null, or an empty list, which a node returns before it has indexed a block.
 */
export function createCache(finalized: () => bigint): ResultCache {
  const entries = new LRUCache<string, { result: unknown }>({ maxSize: maxBytes, maxEntrySize: maxBytes / 16 })
  return {
    get: (key) => entries.get(key)?.result,
    keep(key, method, params, result) {
      if (result === null || result === undefined || (Array.isArray(result) && result.length === 0)) return
      const origin = originOf(method, params, result)
      if (origin === null || (origin !== 'hash' && origin > finalized())) return
      // An object needs about three times the memory of its JSON text.
      entries.set(key, { result }, { size: key.length + 3 * JSON.stringify(result).length })
    },
    clear: () => entries.clear(),
  }
}

/**
 * The block on which a result depends: its number, or that the call names it by hash; null where the result may change.
 */
function originOf(method: string, params: readonly unknown[], result: unknown): bigint | 'hash' | null {
  const binding = rpcBindings.get(method)
  const block = binding?.block === undefined ? undefined : params[binding.block]
  const byNumber = isQuantity(block)
  const byHash = isHash(block)
  if (!byNumber && !byHash && !binding?.params.includes('hash')) return null
  const shown = blockShownBy([result].flat()[0])
  if (shown !== null) return shown
  if (byNumber) return BigInt(block)
  return byHash ? 'hash' : null
}
