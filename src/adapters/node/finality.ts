import type { NodeObject } from '../../domain/ports/node.ts'
import { isSilence } from './errors/failures.ts'

/** Numbers of the newest blocks that are safe and finalized. */
type Finality = { safe: bigint; finalized: bigint }

type Read = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The depth in blocks at which a block counts as safe or finalized on a chain whose nodes do not know these tags. */
const assumedDepth: Finality = { safe: 32n, finalized: 128n }

/** Reads the safe and finalized blocks. A node that does not respond is an error, not a missing tag. */
export async function readFinality(read: Read): Promise<Finality> {
  const [safe, finalized] = await Promise.all([newestOf(read, 'safe'), newestOf(read, 'finalized')])
  return { safe, finalized }
}

/** Number of the newest block with the tag. */
export async function newestOf(read: Read, tag: keyof Finality): Promise<bigint> {
  const block = await read('eth_getBlockByNumber', [tag, false]).catch((failure: unknown) => {
    if (isSilence(failure)) throw failure
    return null
  })
  if (block !== null) return BigInt(String((block as NodeObject).number))
  const depth = BigInt(String(await read('eth_blockNumber', []))) - assumedDepth[tag]
  return depth > 0n ? depth : 0n
}
