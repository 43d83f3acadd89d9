import { expect, test } from 'vitest'
import { createCache } from './cache.ts'

const hash = `0x${'11'.repeat(32)}`
const block = (number: string | null) => ({ number, hash })
const address = `0x${'22'.repeat(20)}`

/** True where a result is cached. */
function isKept(method: string, params: unknown[], answer: unknown, finalized = 10n): boolean {
  const cache = createCache(() => finalized)
  cache.keep('key', method, params, answer)
  return cache.get('key') !== undefined
}

test.each([
  ['a block by final number', 'eth_getBlockByNumber', ['0xa', true], block('0xa')],
  ['a block by hash', 'eth_getBlockByHash', [hash, true], block('0x1')],
  ['a transaction by hash', 'eth_getTransactionByHash', [hash], { hash, blockNumber: '0xa' }],
  ['receipts by final number', 'eth_getBlockReceipts', ['0xa'], [{ blockNumber: '0xa' }]],
  ['code at a final number', 'eth_getCode', [address, '0xa'], '0x'],
  ['code at a hash', 'eth_getCode', [address, hash], '0x60'],
])('%s is stored', (_, method, params, answer) => {
  expect(isKept(method, params, answer)).toBe(true)
})

test.each([
  ['a block above the final one', 'eth_getBlockByNumber', ['0xb', true], block('0xb')],
  ['a block by hash above the final one', 'eth_getBlockByHash', [hash, true], block('0xb')],
  ['a final block by tag', 'eth_getBlockByNumber', ['finalized', false], block('0xa')],
  ['the first block by tag', 'eth_getBalance', [address, 'earliest'], '0x1'],
  ['state by tag', 'eth_getBalance', [address, 'latest'], '0x1'],
  ['state without a block', 'eth_getBalance', [address], '0x1'],
  ['state above the final block', 'eth_getBalance', [address, '0xb'], '0x1'],
  ['a missing transaction', 'eth_getTransactionByHash', [hash], null],
  ['a waiting transaction', 'eth_getTransactionByHash', [hash], { hash, blockNumber: null }],
  ['a trace by hash, which says no block', 'debug_traceTransaction', [hash], { type: 'CALL' }],
  ['logs', 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }], [{ blockNumber: '0x1' }]],
  ['no receipts', 'eth_getBlockReceipts', [hash], []],
  ['what has no contract', 'eth_unknown', [hash], block('0x1')],
])('%s is not stored', (_, method, params, answer) => {
  expect(isKept(method, params, answer)).toBe(false)
})

test('nothing is stored while the final block is unknown', () => {
  expect(isKept('eth_getBlockByNumber', ['0x0', true], block('0x0'), -1n)).toBe(false)
})

test('memory is bounded by size, and a result that is too large is not stored', () => {
  const cache = createCache(() => 10n)
  const mebibyte = 'a'.repeat(1_048_576)
  for (let at = 0; at < 40; at += 1) cache.keep(`key ${at}`, 'eth_getCode', [address, '0x1'], mebibyte)
  expect(cache.get('key 0')).toBeUndefined()
  expect(cache.get('key 39')).toBe(mebibyte)
  cache.keep('large', 'eth_getCode', [address, '0x1'], mebibyte.repeat(2))
  expect(cache.get('large')).toBeUndefined()
  cache.clear()
  expect(cache.get('key 39')).toBeUndefined()
})
