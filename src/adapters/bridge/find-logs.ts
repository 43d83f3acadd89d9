import type { Hex } from 'viem'
import type { BridgeChain } from './world.ts'

type Filter = { address: Hex; topics: readonly (Hex | null)[] }

type Found = { transactionHash: Hex; data: Hex; topics: Hex[]; address: Hex }

/** Most nodes search so many blocks at once; so many such searches are made, from the newest block back. */
const window = 10_000
const mostWindows = 12

/**
 * Logs from a block to the newest one, oldest first. Of a node that limits the range of a search only the newest logs
 * are found, as far back as a dozen searches reach; none where it refuses those too.
 */
export async function findLogs(chain: BridgeChain, filter: Filter, from: number): Promise<Found[]> {
  const search = async (fromBlock: number, toBlock: Hex | 'latest') =>
    (await chain.read('eth_getLogs', [{ ...filter, fromBlock: hexOf(fromBlock), toBlock }])) as Found[]
  const head = Number(await chain.read('eth_blockNumber', []))
  try {
    return await search(from, 'latest')
  } catch (refusal) {
    if (head - from < window) throw refusal
  }
  for (let step = 0, to = head; step < mostWindows && to >= from; step += 1, to -= window) {
    const found = await search(Math.max(from, to - window + 1), hexOf(to)).catch(() => null)
    if (found === null || found.length > 0) return found ?? []
  }
  return []
}

function hexOf(number: number): Hex {
  return `0x${number.toString(16)}`
}
