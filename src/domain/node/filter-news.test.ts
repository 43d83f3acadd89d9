import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { ChainNode, NodeFilter } from '../ports/node.ts'
import { news } from './filter-news.ts'

const hashOf = (number: number, fork = '0') => `0x${fork}${String(number).padStart(63, '0')}`
const hex = (number: number) => `0x${number.toString(16)}`

/** A chain whose block 2 has been replaced; each block from 2 on has one log of so many bytes. */
function replacedChain(bytes: number): ChainNode {
  const log = (blockHash: string, blockNumber: number) => ({
    blockHash,
    blockNumber: hex(blockNumber),
    data: 'x'.repeat(bytes),
  })
  const present = [hashOf(0), hashOf(1), hashOf(2, 'b'), hashOf(3, 'b')]
  const blockOf = (number: number) => ({ number: hex(number), hash: present[number], parentHash: present[number - 1] })
  const request = async (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') return blockOf(Number(first))
    const { blockHash } = first as { blockHash: string }
    return [log(blockHash, Number(BigInt(`0x${blockHash.slice(3)}`)))]
  }
  return { request, head: async () => blockOf(3) } as never
}

const filter: NodeFilter = {
  id: '0x1',
  owner: 'someone',
  kind: 'logs',
  criteria: {},
  reported: [hashOf(2), hashOf(1)].map((hash, index) => ({ number: 2 - index, hash })),
  readAt: new Date(0),
} as never

const call = {
  signal: new AbortController().signal,
  fail: (...parts: never) => new DomainError(...(parts as [never, never])),
} as never

test('beside removed logs a block that does not fit waits for the next read, and each is read once', async () => {
  const node = replacedChain(2_500_000)
  const first = await news(node, filter, new Date(), call)
  expect(first.found).toMatchObject([{ blockHash: hashOf(2), removed: true }])
  const second = await news(node, { ...filter, reported: first.reported }, new Date(), call)
  expect(second.found).toMatchObject([{ blockHash: hashOf(2, 'b') }])
  const third = await news(node, { ...filter, reported: second.reported }, new Date(), call)
  expect(third.found).toMatchObject([{ blockHash: hashOf(3, 'b') }])
  expect((await news(node, { ...filter, reported: third.reported }, new Date(), call)).found).toEqual([])
})

test('what fits is read at once', async () => {
  const { found } = await news(replacedChain(10), filter, new Date(), call)
  expect(found).toMatchObject([{ removed: true }, { blockHash: hashOf(2, 'b') }, { blockHash: hashOf(3, 'b') }])
})
