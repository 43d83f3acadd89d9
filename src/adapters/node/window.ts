import type { Hex } from '../../domain/ports/chains.ts'
import type { TrackedBlock } from './tracked-block.ts'

/** The newest blocks of the canonical chain, one after the other. Never empty. */
type Window = {
  newest(): TrackedBlock
  oldest(): TrackedBlock
  has(hash: Hex): boolean
  /** The block of a number; null where it is not stored. */
  at(number: bigint): TrackedBlock | null
  /**
   * Appends blocks, oldest first, to the known block that they build on; returns the blocks that they replace, newest
   * first.
   */
  advance(added: readonly TrackedBlock[]): readonly TrackedBlock[]
  /** Starts again from a block that builds on none of the known ones. */
  restart(block: TrackedBlock): void
  isTakenBack(block: TrackedBlock): boolean
}

/** How many blocks are stored; a deeper reorganisation cannot be reported. */
export const mostBlocks = 256
/** How many logs are stored over all blocks. */
const mostLogs = 50_000

/** Creates the window of a chain whose blocks up to `finalized` are final. */
export function createWindow(blocks: readonly TrackedBlock[], finalized: () => bigint): Window {
  let known = blocks
  const takenBack = new WeakSet<TrackedBlock>()

  /** Logs are stored so that their removal can be reported: not those of final blocks, and within the limit. */
  function forgetLogs(): void {
    const final = finalized()
    let logs = 0
    for (const block of known.toReversed()) {
      logs += block.remembered()
      if (block.number <= final || logs > mostLogs) block.forget()
    }
  }

  return {
    newest: () => known.at(-1) as TrackedBlock,
    oldest: () => known[0] as TrackedBlock,
    has: (hash) => known.findLast((block) => block.hash === hash) !== undefined,
    at: (number) => known[Number(number - (known[0] as TrackedBlock).number)] ?? null,
    advance(added) {
      const base = known.findLastIndex((block) => block.hash === added[0]?.parentHash)
      const removed = known.slice(base + 1).toReversed()
      for (const block of removed) takenBack.add(block)
      known = [...known.slice(0, base + 1), ...added].slice(-mostBlocks)
      forgetLogs()
      return removed
    },
    restart(block) {
      known = [block]
    },
    isTakenBack: (block) => takenBack.has(block),
  }
}
