import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findLogs } from './find-logs.ts'

const filter = { address: '0x', topics: [] } as const

/** A node with one log that searches at most so many blocks at once. */
function nodeWith(head: number, logAt: number, most: number) {
  let searches = 0
  const read = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_blockNumber') return `0x${head.toString(16)}`
    searches += 1
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    const [first, last] = [Number(fromBlock), toBlock === 'latest' ? head : Number(toBlock)]
    if (last - first + 1 > most) throw new Error('range too wide')
    return first <= logAt && logAt <= last ? [{ transactionHash: '0x1', data: '0x', topics: [], address: '0x' }] : []
  }
  return { read, searches: () => searches }
}

test('finds a log however few blocks a node searches at once, as far back as it may look', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(200_000), fc.nat(200_000), fc.constantFrom(500, 10_000, 1_000_000), async (a, b, most) => {
      const [logAt, head] = [Math.min(a, b), Math.max(a, b)]
      const node = nodeWith(head, logAt, most)
      const found = await findLogs(node, filter, 0)
      const reach = most === 1_000_000 ? head + 1 : 12 * most
      expect(found).toHaveLength(head - logAt < reach ? 1 : 0)
      expect(node.searches()).toBeLessThanOrEqual(14)
    }),
  ))

test('finds nothing where every search is refused', async () => {
  expect(await findLogs(nodeWith(9_000, 5, 10), filter, 0)).toEqual([])
})
