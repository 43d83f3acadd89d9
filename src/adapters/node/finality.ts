import type { NodeObject } from '../../domain/ports/node.ts'
import { isSilence } from './errors/failures.ts'

/** Numbers of the newest blocks that are safe and finalized. */
type Finality = { safe: bigint; finalized: bigint }

type Read = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The depth in blocks at which a block counts as safe or finalized on a chain whose nodes do not know these tags. */
export const assumedDepth: Finality = { safe: 32n, finalized: 128n }

/** A tag that has never moved is not believed after this time. Rollups move theirs once in several minutes. */
const stallSeconds = 3_600

type Sources = {
  read: Read
  /** The newest block that was reported. */
  head: () => Promise<bigint>
  /** The depths that count where the tags do not. */
  depths: Finality
  blockSeconds: number
  /** After how many new blocks a tag is read again; 1 unless given. */
  everyBlocks?: bigint
}

/** The block of a tag, and whether it was the newest of its node; null where the nodes do not know the tag. */
type Tagged = { number: bigint; isNewest: boolean } | null

/** What was first seen of a tag: its block, the head at that time, and whether it has moved since. */
type Seen = { number: bigint; head: bigint; moved: boolean }

/**
 * Creates a reader of the safe and finalized blocks: those of the tags, or those of a depth where the nodes do not know
 * the tags or do not move them. Development nodes name the newest block or always the same one. A tag that has moved once
 * is believed from then on, also while the chain finalizes nothing. A node that does not respond is an error, not a
 * missing tag.
 */
export function finalityReader({
  read,
  head,
  depths,
  blockSeconds,
  everyBlocks = 1n,
}: Sources): () => Promise<Finality> {
  const seen = new Map<keyof Finality, Seen>()
  const readAt = new Map<keyof Finality, { block: Promise<Tagged>; at: bigint }>()

  async function readTag(tag: keyof Finality, newest: bigint): Promise<Tagged> {
    const number = await taggedBlock(read, tag)
    if (number === null) return null
    return { number, isNewest: number >= newest }
  }

  /** The block of a tag, which moves once in minutes. */
  function tagged(tag: keyof Finality, newest: bigint): Promise<Tagged> {
    const before = readAt.get(tag)
    const passed = before === undefined ? everyBlocks : newest - before.at
    if (before !== undefined && passed >= 0n && passed < everyBlocks) return before.block
    const block = readTag(tag, newest)
    readAt.set(tag, { block, at: newest })
    block.catch(() => readAt.get(tag)?.block === block && readAt.delete(tag))
    return block
  }

  function moves(tag: keyof Finality, number: bigint, newest: bigint): boolean {
    if (number === 0n) return newest <= depths[tag]
    const known = seen.get(tag) ?? { number, head: newest, moved: false }
    if (known.number !== number) known.moved = true
    seen.set(tag, known)
    const passed = newest - known.head
    return known.moved || passed <= depths[tag] || Number(passed) * blockSeconds <= stallSeconds
  }

  async function newestWith(tag: keyof Finality, newest: bigint): Promise<bigint> {
    const block = await tagged(tag, newest)
    const isTrue = block !== null && !block.isNewest && moves(tag, block.number, newest)
    return isTrue ? block.number : above(newest - depths[tag])
  }

  return async () => {
    const newest = await head()
    const finalized = await newestWith('finalized', newest)
    // Where one tag is always at the newest block, so is the other.
    const hasTags = (await tagged('finalized', newest))?.isNewest !== true
    const safe = hasTags ? await newestWith('safe', newest) : above(newest - depths.safe)
    return safe < finalized ? { safe: finalized, finalized } : { safe, finalized }
  }
}

/** Number of the newest block with the tag; that of the usual depth where the node does not know the tag. */
export async function newestOf(read: Read, tag: keyof Finality): Promise<bigint> {
  const number = await taggedBlock(read, tag)
  return number ?? above(BigInt(String(await read('eth_blockNumber', []))) - assumedDepth[tag])
}

async function taggedBlock(read: Read, tag: keyof Finality): Promise<bigint | null> {
  const block = await read('eth_getBlockByNumber', [tag, false]).catch((failure: unknown) => {
    if (isSilence(failure)) throw failure
    return null
  })
  return block === null ? null : BigInt(String((block as NodeObject).number))
}

function above(number: bigint): bigint {
  return number > 0n ? number : 0n
}
