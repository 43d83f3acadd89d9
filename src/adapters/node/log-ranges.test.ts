import { expect, test } from 'vitest'
import { quantityOf } from '../../kit/hex.ts'
import { neverAborts } from '../../kit/values.ts'
import { nodeError } from './errors/node-errors.ts'
import { inLogRanges, logWidth } from './log-ranges.ts'

/** A chain of 100,000 blocks with one log in each, whose node gives at most so many blocks, and logs, at once. */
function chainOf({ blocks = 1_000_000, logs = 1_000_000, says = 'block range is too wide' }) {
  const asked: number[] = []
  let head = 100_000
  let forks = 0
  const request = async (method: string, [filter]: readonly unknown[]): Promise<unknown> => {
    if (method === 'eth_blockNumber') return quantityOf(head)
    if (method === 'eth_getBlockByNumber') return { number: filter, hash: `0x${forks}` }
    const { fromBlock = '0x0', toBlock = quantityOf(head) } = filter as { fromBlock?: string; toBlock?: string }
    const [first, last] = [Number(fromBlock), Number(toBlock)]
    const count = last - first + 1
    asked.push(count)
    if (count > blocks) throw nodeError(method, { code: -32_005, message: says })
    if (count > logs) throw nodeError(method, { code: -32_000, message: `query returned more than ${logs} results` })
    return Array.from({ length: count }, (_, index) => first + index)
  }
  return { asked, request, fork: () => (forks += 1), grow: (by: number) => (head += by) }
}

const range = (from: number, to: number) => [{ fromBlock: quantityOf(from), toBlock: quantityOf(to) }]
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a range that is refused is read in parts, and the width that works is asked for next time', async () => {
  const chain = chainOf({ blocks: 10, says: 'You can make eth_getLogs requests with up to a 10 block range.' })
  const request = inLogRanges(chain.request, logWidth())
  expect(await request('eth_getLogs', range(1, 95), neverAborts)).toEqual(numbers(1, 95))
  expect(chain.asked).toEqual([95, ...Array(9).fill(10), 5])
  chain.asked.length = 0
  expect(await request('eth_getLogs', range(101, 120), neverAborts)).toEqual(numbers(101, 120))
  expect(await request('eth_getLogs', range(1, 3), neverAborts)).toEqual([1, 2, 3])
  expect(chain.asked).toEqual([10, 10, 3])
})

test('down to one block, where the node does not say what it gives', async () => {
  const chain = chainOf({ blocks: 1 })
  const request = inLogRanges(chain.request, logWidth())
  expect(await request('eth_getLogs', [{ fromBlock: quantityOf(99_991) }], neverAborts)).toEqual(
    numbers(99_991, 100_000),
  )
  expect(chain.asked).toEqual([10, 5, 2, ...Array(10).fill(1)])
})

test('more parts than are allowed are refused with the number of blocks that can be read', async () => {
  const chain = chainOf({ blocks: 10, says: 'exceed maximum block range: 10' })
  const request = inLogRanges(chain.request, logWidth())
  const refused = { code: 'LIMIT_EXCEEDED', details: { metadata: { limit: '160' } } }
  await expect(request('eth_getLogs', range(1, 161), neverAborts, { parts: 16 })).rejects.toMatchObject(refused)
  expect(chain.asked).toEqual([161])
  expect(await request('eth_getLogs', range(1, 160), neverAborts, { parts: 16 })).toHaveLength(160)
  await expect(request('eth_getLogs', range(1, 1_001), neverAborts)).rejects.toThrow(
    'give the logs of 10 blocks at once. Ask for 1000 blocks at most',
  )
})

test('blocks with many logs are read in shorter parts, and other ranges as before', async () => {
  const chain = chainOf({ logs: 30 })
  const width = logWidth()
  expect(await inLogRanges(chain.request, width)('eth_getLogs', range(1, 100), neverAborts)).toEqual(numbers(1, 100))
  expect(width.now()).toBeNull()
})

test('a wider range is tried again after a while', () => {
  let now = 0
  const width = logWidth(() => now)
  width.narrowed(10n)
  now = 599_999
  expect(width.now()).toBe(10n)
  now = 600_000
  expect([width.now(), width.now()]).toEqual([20n, 20n])
  width.narrowed(10n)
  expect(width.now()).toBe(10n)
})

test('parts of two chains are not joined', async () => {
  const chain = chainOf({ blocks: 10 })
  const forking = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_getLogs') chain.fork()
    return await chain.request(method, params)
  }
  await expect(inLogRanges(forking, logWidth())('eth_getLogs', range(1, 20), neverAborts)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
})

test('a range that makes no sense, a rate limit and a lack are passed on at once', async () => {
  for (const [message, code] of [
    ['invalid block range params', 'INVALID_ARGUMENT'],
    ['rate limit exceeded', 'UNAVAILABLE'],
    ['the method eth_getLogs does not exist', 'UNIMPLEMENTED'],
  ]) {
    let calls = 0
    const request = inLogRanges(async (method) => {
      calls += 1
      throw nodeError(method, { code: -32_000, message })
    }, logWidth())
    await expect(request('eth_getLogs', range(1, 20), neverAborts)).rejects.toMatchObject({ code })
    expect(calls).toBe(1)
  }
})
