import { describe, expect, test } from 'vitest'
import { rateLimitOf } from './failures.ts'
import { rangeRefusalOf, widthNamed } from './log-limits.ts'
import { nodeError } from './node-errors.ts'

const codes = [-32_005, -32_600, -32_602, -32_000, -32_012, -32_614, 35]

/** What is said when 100,000 blocks are asked for, with the blocks that it names. */
const tooWide: readonly [string, bigint | null][] = [
  ['block range is too wide', null],
  ['exceed maximum block range: 5000', 5_000n],
  ['eth_getLogs is limited to a 10,000 range', 10_000n],
  [
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]. Upgrade for more.',
    10n,
  ],
  ['You can make eth_getLogs requests with up to a 500 block range.', 500n],
  ['query exceeds max block range 1000', 1_000n],
  ['ranges over 10000 blocks are not supported on freetier', 10_000n],
  ['please limit the query to at most 1000 blocks', 1_000n],
  ['range is too large, max is 1k blocks', 1_000n],
  ['block range limit exceeded', null],
  ['block range exceeded', null],
  ['requested too many blocks from 1 to 2000, maximum is set to 1000', 1_000n],
  ['Block range is too large', null],
  ['exceeded maximum block range: 50000', 50_000n],
  ['maximum [from, to] blocks distance: 100', null],
  ['eth_getLogs range is too large, max is 10k blocks', 10_000n],
  ['the block range exceeds the limit of 2000', 2_000n],
]

const tooMuch = [
  'query returned more than 10000 results',
  'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
  'query timeout exceeded',
  'backend response too large',
  'query exceeds max results 20000, retry with the range 1-100',
  'too many logs',
]

const rates = [
  'daily request count exceeded, request rate limited',
  'rate limit exceeded',
  'Too many requests for a block range of this size',
  "You've exceeded the throughput limit of 330 compute units per second",
  'limit of 5 requests per second exceeded; use a smaller block range',
]

describe('the words of a node about a range of logs', () => {
  test.each(tooWide)('too wide: %s', (message, blocks) => {
    expect(rangeRefusalOf(message)).toBe('width')
    expect(widthNamed(message, 100_000n)).toBe(blocks)
    for (const code of codes) {
      const error = nodeError('eth_getLogs', { code, message })
      expect([code, error.code, rateLimitOf(error)]).toEqual([code, 'LIMIT_EXCEEDED', null])
    }
  })

  test.each(tooMuch)('too much in it: %s', (message) => {
    expect(rangeRefusalOf(message)).toBe('size')
    for (const code of codes) expect(nodeError('eth_getLogs', { code, message }).code).toBe('LIMIT_EXCEEDED')
  })

  test.each(rates)('a rate: %s', (message) => {
    expect(rangeRefusalOf(message)).toBeNull()
    const error = nodeError('eth_getLogs', { code: -32_005, message })
    expect([error.code, rateLimitOf(error)]).toEqual(['UNAVAILABLE', 0])
  })

  test.each([
    ['invalid block range params', 'INVALID_ARGUMENT'],
    ['invalid block range', 'INVALID_ARGUMENT'],
    ['fromBlock is greater than toBlock', 'INVALID_ARGUMENT'],
    ['end (1) < begin (2)', 'INVALID_ARGUMENT'],
    ['block range extends beyond current head block', 'NOT_FOUND'],
    ['toBlock is greater than latest block', 'NOT_FOUND'],
  ])('no range at all: %s', (message, code) => {
    for (const rpcCode of [-32_000, -32_602])
      expect(nodeError('eth_getLogs', { code: rpcCode, message }).code).toBe(code)
  })

  test('mean nothing of the kind for another method', () => {
    expect(nodeError('eth_call', { code: -32_602, message: 'exceed maximum block range: 5000' }).code).toBe(
      'INVALID_ARGUMENT',
    )
  })
})
