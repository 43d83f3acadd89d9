import type { Head, Hex } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'

/** Asks for some things at a block; the answers are in their order. */
export type AskAll<Item, Answer> = (items: readonly Item[], block: Head) => Promise<readonly Answer[]>

type Waiting<Item, Answer> = { items: readonly Item[]; answered: PromiseWithResolvers<readonly Answer[]> }

/**
 * Joins what is asked at a block in one turn of the event loop into one call of `askAll`, of at most `most` items unless
 * one caller asks for more. Where that fails, and not for silence, each caller's part is asked by itself.
 */
export function turnBatch<Item, Answer>(askAll: AskAll<Item, Answer>, most: number): AskAll<Item, Answer> {
  const waiting = new Map<Hex, Waiting<Item, Answer>[]>()

  async function askTogether(group: readonly Waiting<Item, Answer>[], block: Head): Promise<void> {
    const together = askAll(
      group.flatMap(({ items }) => items),
      block,
    )
    try {
      const answers = await together
      let at = 0
      for (const { items, answered } of group) {
        answered.resolve(answers.slice(at, at + items.length))
        at += items.length
      }
    } catch (failure) {
      // Together they may be more than the node runs at once.
      const isAgain = group.length > 1 && !isSilence(failure)
      for (const { items, answered } of group) answered.resolve(isAgain ? askAll(items, block) : together)
    }
  }

  function flush(block: Head): void {
    const group: Waiting<Item, Answer>[] = []
    let size = 0
    for (const one of waiting.get(block.hash) ?? []) {
      if (group.length > 0 && size + one.items.length > most) {
        void askTogether(group.splice(0), block)
        size = 0
      }
      group.push(one)
      size += one.items.length
    }
    waiting.delete(block.hash)
    void askTogether(group, block)
  }

  return async (items, block) => {
    if (items.length === 0) return []
    const answered = Promise.withResolvers<readonly Answer[]>()
    const before = waiting.get(block.hash)
    if (before === undefined) {
      waiting.set(block.hash, [{ items, answered }])
      setImmediate(flush, block)
    } else before.push({ items, answered })
    return await answered.promise
  }
}
