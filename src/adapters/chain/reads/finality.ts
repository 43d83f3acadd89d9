import type { Hex } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/chain-errors.ts'
import type { Connection } from './connection.ts'

/** How far back a chain whose node has no tags for it is taken to be safe and final, in blocks. */
const assumed = { safe: 32n, finalized: 128n }

/** The newest safe and finalized blocks by the node's tags. */
export async function readFinality(connection: Connection): Promise<{ safe: bigint; finalized: bigint }> {
  const [safe, finalized, newest] = await Promise.all([
    tagged(connection, 'safe'),
    tagged(connection, 'finalized'),
    connection.client.getBlockNumber(),
  ])
  const behind = (blocks: bigint) => (newest > blocks ? newest - blocks : 0n)
  return { safe: safe ?? behind(assumed.safe), finalized: finalized ?? behind(assumed.finalized) }
}

async function tagged({ client }: Connection, blockTag: 'safe' | 'finalized'): Promise<bigint | null> {
  try {
    return (await client.getBlock({ blockTag, includeTransactions: false })).number
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}

/** The hash of the block of a number; null where the chain is not that long. */
export async function readBlockHash({ client }: Connection, number: bigint): Promise<Hex | null> {
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
  const block = await request({ method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] })
  return (block as { hash: Hex } | null)?.hash ?? null
}
