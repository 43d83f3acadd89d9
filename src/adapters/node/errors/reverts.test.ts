import fc from 'fast-check'
import { encodeErrorResult, type Hex, parseAbi, UnknownRpcError } from 'viem'
import { expect, test } from 'vitest'
import { nodeError } from './node-errors.ts'
import { adviceFor, reasonOf, revertOf } from './reverts.ts'

const errors = parseAbi(['error Error(string reason)', 'error Panic(uint256 code)', 'error Mine(uint256 amount)'])
const reasonData = (reason: string) => encodeErrorResult({ abi: errors, errorName: 'Error', args: [reason] })

test.each([
  ['STF', /balance/],
  ['Too little received', /slippage/],
  ['UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT', /slippage/],
  ['Transaction too old', /deadline/],
  ['UniswapV2Router: EXPIRED', /deadline/],
  ['UniswapV2: K', /risk/],
  ['selling is off', /do not trade/],
])('%s', (reason, advice) => {
  expect(reasonOf(reasonData(reason))).toBe(reason)
  expect(adviceFor(reason, { funded: false })).toMatch(advice)
})

test.each([
  'STF',
  'TransferHelper: TRANSFER_FROM_FAILED',
  'ERC20: insufficient allowance',
  'transfer amount exceeds balance',
])('where the balance and the approval are there, %s is the token refusing', (reason) => {
  expect(adviceFor(reason, { funded: true })).toMatch(/^The balance and the approval are there.*token refuses/)
  expect(adviceFor(reason, { funded: false })).toMatch(/balance/)
})

test('too little received may be a tax as well as a price', () => {
  expect(adviceFor('UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT', { funded: true })).toMatch(/price moved.*tax/)
})

test('a bare revert, a panic and an error of the contract itself', () => {
  expect(adviceFor(reasonOf('0x'), { funded: false })).toMatch(/no such pool/)
  expect(reasonOf(encodeErrorResult({ abi: errors, errorName: 'Panic', args: [0x11n] }))).toBe('panic 0x11')
  expect(reasonOf(encodeErrorResult({ abi: errors, errorName: 'Mine', args: [1n] }))).toMatch(/^error 0x[0-9a-f]{8}$/)
})

test('a contract cannot put arbitrary text into an error', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000, unit: 'binary' }), (text) => {
      const reason = reasonOf(reasonData(text))
      expect(reason.length).toBeLessThanOrEqual(200)
      expect(reason).toMatch(/^[\x20-\x7e]+$/)
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(reasonOf(`0x${Buffer.from(bytes).toString('hex')}` as Hex)).not.toBe('')
    }),
  )
})

test('nor where a node puts them into its message', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000, unit: 'binary' }), (text) => {
      const error = { code: -32_000, message: `execution reverted: ${text}\ud83d` }
      const reason = revertOf(new UnknownRpcError(nodeError('eth_call', error)))
      expect(reason).toMatch(/^[\x20-\x7e]{1,200}$/)
    }),
  )
})

test('a revert is distinguished from other errors of a node', () => {
  const error = (code: number, message: string, data?: Hex) =>
    new UnknownRpcError(nodeError('eth_call', { code, message, data }))
  expect(revertOf(error(3, 'execution reverted: STF', reasonData('STF')))).toBe('STF')
  expect(revertOf(error(-32_000, 'execution reverted'))).toBe('it gave no reason')
  expect(revertOf(error(-32_602, 'invalid params'))).toBeNull()
  expect(revertOf(new Error('socket closed'))).toBeNull()
})
