import { DomainError } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import type { NodeObject } from '../../domain/ports/node.ts'
import { quantityOf } from '../../kit/hex.ts'
import { type TrackedBlock, trackedBlock } from './tracked-block.ts'
import type { Upstream } from './upstream.ts'

/** Reads blocks from an upstream. A missing block is UNAVAILABLE: it existed, and the chain has changed since. */
type BlockReader = {
  latest(): Promise<TrackedBlock>
  byHash(hash: Hex): Promise<TrackedBlock>
  /** The blocks between two numbers, both excluded, by hash. They need not be of one chain. */
  between(after: bigint, before: bigint): Promise<Map<Hex, TrackedBlock>>
  /** A block and up to `count` ancestors, oldest first, as far as they are available. */
  back(block: TrackedBlock, count: number): Promise<TrackedBlock[]>
}

/** How many blocks are read concurrently. */
const together = 16n

/** Creates the reader of an upstream's blocks. `readLogs` reads the logs of a block. */
export function blockReader(
  upstream: Upstream,
  readLogs: (block: TrackedBlock) => Promise<readonly NodeObject[]>,
  signal: AbortSignal,
): BlockReader {
  async function read(method: string, id: string): Promise<TrackedBlock> {
    // What is read exists: a node that is silent for a moment, or lacks it, is asked again.
    const options = { persistent: true, exists: true }
    const wire = (await upstream.request(method, [id, false], signal, options)) as NodeObject | null
    if (wire === null) throw new DomainError('UNAVAILABLE', 'The chain is being reorganised. Try again.')
    return trackedBlock(wire, readLogs)
  }

  async function between(after: bigint, before: bigint): Promise<Map<Hex, TrackedBlock>> {
    const found = new Map<Hex, TrackedBlock>()
    for (let first = after + 1n; first < before; first += together) {
      const reads: Promise<TrackedBlock>[] = []
      for (let number = first; number < before && number < first + together; number += 1n)
        reads.push(read('eth_getBlockByNumber', quantityOf(number)))
      for (const block of await Promise.all(reads)) found.set(block.hash, block)
    }
    return found
  }

  return {
    latest: () => read('eth_getBlockByNumber', 'latest'),
    byHash: (hash) => read('eth_getBlockByHash', hash),
    between,
    async back(block, count) {
      const after = block.number - BigInt(count)
      const parents = await between(after < 0n ? -1n : after, block.number).catch(() => new Map<Hex, TrackedBlock>())
      const found = [block]
      for (let parent = parents.get(block.parentHash); parent !== undefined; parent = parents.get(parent.parentHash))
        found.unshift(parent)
      return found
    },
  }
}
