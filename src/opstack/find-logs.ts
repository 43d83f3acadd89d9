import type { Hex } from 'viem'
import type { BridgeChain } from './chain.ts'

type Filter = { address: Hex; topics: readonly (Hex | null)[] }

type Found = { transactionHash: Hex; data: Hex; topics: Hex[]; address: Hex }

/** Blocks that nodes search at once, as their operators commonly limit it; so many such searches are made. */
const windows = [10_000, 500]
const mostSearches = 12

/**
 * Logs from a block to the newest one, oldest first. Of a node that limits the range of a search only the newest logs
 * are found, as far back as a dozen searches reach; none where it refuses those too.
 */
export async function findLogs(chain: BridgeChain, filter: Filter, from: number): Promise<Found[]> {
  const search = async (fromBlock: number, toBlock: Hex | 'latest') => {
    const range = { fromBlock: hexOf(fromBlock), toBlock }
    // Nodes refuse a range in words and codes of their own, so that no refusal can be told from another.
    return (await chain.read('eth_getLogs', [{ ...filter, ...range }]).catch(() => null)) as Found[] | null
  }
  const whole = await search(from, 'latest')
  if (whole !== null) return whole
  const head = Number(await chain.read('eth_blockNumber', []))
  const searchBack = async (window: number): Promise<Found[] | null> => {
    for (let step = 0, to = head; step < mostSearches && to >= from; step += 1, to -= window) {
      const found = await search(Math.max(from, to - window + 1), hexOf(to))
      if (found === null || found.length > 0) return found
    }
    return []
  }
  for (const window of windows) {
    const found = await searchBack(window)
    if (found !== null) return found
  }
  return []
}

function hexOf(number: number): Hex {
  return `0x${number.toString(16)}`
}
