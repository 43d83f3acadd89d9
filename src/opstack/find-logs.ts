import type { Hex } from 'viem'
import { quantityOf } from '../kit/hex.ts'
import type { BridgeChain } from './chain.ts'

type Filter = { address: Hex; topics: readonly (Hex | null)[] }

type Found = { transactionHash: Hex; data: Hex; topics: Hex[]; address: Hex }

/** Block ranges that node operators commonly allow in one search. */
const windows = [10_000, 500]
/** Most searches with one range. */
const mostSearches = 12

/**
 * Finds logs from a block to the newest one, oldest first. Where the node limits the range of a search, it goes back
 * from the newest block by at most a dozen searches with each of two ranges, and returns the newest logs; empty where
 * they find nothing or are refused too.
 */
export async function findLogs(chain: BridgeChain, filter: Filter, from: number): Promise<Found[]> {
  const search = async (fromBlock: number, toBlock: Hex | 'latest') => {
    const range = { fromBlock: quantityOf(fromBlock), toBlock }
    // Each node has its own codes and texts for a refused range, so any failure counts as one.
    return (await chain.read('eth_getLogs', [{ ...filter, ...range }]).catch(() => null)) as Found[] | null
  }
  const whole = await search(from, 'latest')
  if (whole !== null) return whole
  const head = Number(await chain.read('eth_blockNumber', []))
  const searchBack = async (window: number): Promise<Found[] | null> => {
    for (let step = 0, to = head; step < mostSearches && to >= from; step += 1, to -= window) {
      const found = await search(Math.max(from, to - window + 1), quantityOf(to))
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
