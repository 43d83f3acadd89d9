import { LRUCache } from 'lru-cache'
import { rpcBindings } from '../../contract/chain/chain.ts'
import { blockShownBy } from '../../domain/ports/node.ts'
import { isHash } from './wire-objects.ts'

/** Answers that can never change, in bounded memory. They are shared by all who ask: nobody may write to them. */
export type AnswerCache = {
  get(key: string): unknown
  keep(key: string, method: string, params: readonly unknown[], answer: unknown): void
  clear(): void
}

const maxBytes = 64 * 1_048_576

/**
 * Makes the cache of a chain whose blocks up to `finalized` stay as they are. It keeps what is asked of such a block by
 * its number, what was found in one by a hash, and the state at a block hash. Nothing that was asked by a tag, and nothing
 * that may be there later: no null, and no empty list, as a node answers that has yet to read what is in a block.
 */
export function createCache(finalized: () => bigint): AnswerCache {
  const kept = new LRUCache<string, { answer: unknown }>({ maxSize: maxBytes, maxEntrySize: maxBytes / 16 })
  return {
    get: (key) => kept.get(key)?.answer,
    keep(key, method, params, answer) {
      if (answer === null || answer === undefined || (Array.isArray(answer) && answer.length === 0)) return
      const place = placeOf(method, params, answer)
      if (place === null || (place !== 'hash' && place > finalized())) return
      // Objects take about three times the room of their text.
      kept.set(key, { answer }, { size: key.length + 3 * JSON.stringify(answer).length })
    },
    clear: () => kept.clear(),
  }
}

/** The block that an answer depends on: its number, or that the question names it by hash; null where it may change. */
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
