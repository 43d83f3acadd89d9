import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import { streamLogs } from './stream-logs.ts'

const [example] = contract.chain.getLogs.example.output
const hex = (number: number) => `0x${number.toString(16)}`
const hashOf = (number: number, fork = 0) => `0x${fork}${String(number).padStart(63, '0')}`
type Filter = Parameters<typeof streamLogs>[1]['filter']

/** A chain of `head` blocks. `logsOf` says how many logs a block has, of how many bytes; `most`, how many a read may return. */
function chainOf(head: number, logsOf: (block: number) => [logs: number, bytes: number], most = Infinity) {
  const reads: [from: number, to: number][] = []
  const state = { fork: 0, grows: false }
  const logsIn = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index).flatMap((block) => {
      const [logs, bytes] = logsOf(block)
      const data = `0x${'00'.repeat(bytes)}`
      return Array.from({ length: logs }, () => ({
        ...example!,
        data,
        blockNumber: hex(block),
        blockHash: hashOf(block),
      }))
    })
  const tags: Record<string, number> = { latest: head, safe: head - 2 }
  const request = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') {
      const number = tags[String(params[0])] ?? Number(params[0])
      if (state.grows) tags.latest = (tags.latest ?? 0) + 1
      return number > head && !state.grows ? null : { number: hex(number), hash: hashOf(number, state.fork) }
    }
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
    reads.push([Number(fromBlock), Number(toBlock)])
    const logs = logsIn(Number(fromBlock), Number(toBlock))
    if (logs.length <= most) return logs
    throw new DomainError('LIMIT_EXCEEDED', 'more than the node returns')
  }
  const fail: Fail<ErrorCode> = (...parts) => new DomainError(...parts)
  let gas = 0
  const call = { signal: new AbortController().signal, fail, spent: (more: number) => (gas += more) } as never
  const open = async (filter: Filter) => await streamLogs({ node: { request } as never }, { filter }, call)
  const all = async (filter: Filter) => await Array.fromAsync(await open(filter))
  return { reads, logsIn, open, all, spent: () => gas, state }
}

test('a range is read a few blocks at a time, more where they have few logs', async () => {
  const chain = chainOf(60_000, (block) => [block % 1_000 === 0 ? 1 : 0, 10])
  const messages = await chain.all({ fromBlock: 'earliest' })
  expect(messages.flatMap(({ logs }) => logs)).toEqual(chain.logsIn(0, 60_000))
  expect(chain.reads.slice(0, 3)).toEqual([
    [0, 15],
    [16, 47],
    [48, 111],
  ])
  const sizes = chain.reads.map(([from, to]) => to - from + 1)
  expect(Math.max(...sizes)).toBe(1_000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60_001)
  expect(chain.spent()).toBe(60_001_000)
})

test('a read returns about a message where blocks have many logs, and nothing is read before it is asked for', async () => {
  const chain = chainOf(400, () => [20, 1_000])
  const stream = (await chain.open({ fromBlock: '0x0' }))[Symbol.asyncIterator]()
  await stream.next()
  expect(chain.reads).toEqual([[0, 15]])
  const messages = await chain.all({ fromBlock: '0x0' })
  expect(messages.flatMap(({ logs }) => logs)).toEqual(chain.logsIn(0, 400))
  expect(Math.max(...chain.reads.map(([from, to]) => to - from + 1))).toBeLessThanOrEqual(32)
})

test('less is asked of a node that refuses so many logs, down to one block', async () => {
  const chain = chainOf(100, (block) => [block === 70 ? 9 : 1, 1], 10)
  const messages = await chain.all({ fromBlock: '0x0', toBlock: 'pending' })
  expect(messages.flatMap(({ logs }) => logs)).toEqual(chain.logsIn(0, 100))
  await expect(chainOf(3, () => [11, 1], 10).all({ fromBlock: '0x0' })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
  })
})

test('a range that no stream has is refused before it is read', async () => {
  const chain = chainOf(200_000, () => [0, 0])
  const refusal = async (filter: Filter) =>
    await chain.open(filter).then(
      () => null,
      ({ code, details }) => [code, details.violations[0].path],
    )
  expect(await refusal({ fromBlock: '0x0', toBlock: hex(99_999) })).toBeNull()
  const taken = chain.reads.length
  expect(await refusal({ fromBlock: '0x0', toBlock: hex(100_000) })).toEqual(['LIMIT_EXCEEDED', 'filter.fromBlock'])
  expect(await refusal({ fromBlock: '0x0', toBlock: hex(200_001) })).toEqual(['INVALID_ARGUMENT', 'filter.toBlock'])
  expect(await refusal({ fromBlock: '0x5', toBlock: '0x4' })).toEqual(['INVALID_ARGUMENT', 'filter.fromBlock'])
  expect(await refusal({ fromBlock: 'latest', toBlock: 'safe' })).toEqual(['INVALID_ARGUMENT', 'filter.fromBlock'])
  const both = { blockHash: hashOf(1), fromBlock: '0x1' }
  expect(await refusal(both)).toEqual(['INVALID_ARGUMENT', 'filter.blockHash'])
  expect(chain.reads.length).toBe(taken)
})

test('a reorganisation between two reads ends the stream before its last logs', async () => {
  const chain = chainOf(100, () => [1, 1])
  const stream = await chain.open({ fromBlock: '0x0' })
  chain.state.fork = 1
  const seen: unknown[] = []
  const reading = async () => {
    for await (const { logs } of stream) seen.push(...logs)
  }
  await expect(reading()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(seen.length).toBeLessThan(101)
  expect((await chain.all({ fromBlock: '0x0' })).flatMap(({ logs }) => logs)).toHaveLength(101)
})

test('a block that comes while a stream is opened changes no range', async () => {
  const chain = chainOf(100, () => [1, 1])
  chain.state.grows = true
  for (const filter of [{}, { fromBlock: 'latest' }, { fromBlock: 'pending', toBlock: 'latest' }])
    expect((await chain.all(filter)).flatMap(({ logs }) => logs)).toHaveLength(1)
})

test('after blocks with more logs, as many are read as have a message of them', async () => {
  const chain = chainOf(9_000, (block) => [block > 5_000 ? 10 : 0, 50_000])
  await chain.all({ fromBlock: '0x0' })
  const dense = chain.reads.filter(([from]) => from > 5_000).slice(1)
  expect(Math.max(...dense.map(([from, to]) => to - from + 1))).toBeLessThanOrEqual(4)
})
