import fc from 'fast-check'
import { concat, encodeFunctionData, type Hex, keccak256, numberToHex, pad, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { originIn, parentPricesIn } from './l1-attributes.ts'

const to = '0x4200000000000000000000000000000000000015'
const hash = keccak256('0x07')
const number = 123_456

test('origin and prices are read from the packed forms of the call, from the first one the origin', () => {
  const first = parseAbi([
    'function setL1BlockValues(uint64, uint64, uint256, bytes32, uint64, bytes32, uint256, uint256)',
  ])
  const input = encodeFunctionData({ abi: first, args: [123_456n, 5n, 7n, hash, 1n, pad('0x'), 0n, 0n] })
  expect(originIn({ to, input })).toEqual({ number, hash })
  expect(parentPricesIn({ to, input })).toBeNull()
  const word = (value: number, size: number) => numberToHex(value, { size })
  const values = [word(1, 4), word(2, 4), word(3, 8), word(4, 8), word(number, 8), word(6, 32), word(7, 32), hash]
  for (const [selector, more] of [
    ['0x440a5e20', '0x'],
    ['0x098999be', word(9, 12)],
    ['0x3db6be2b', word(9, 14)],
  ] as const) {
    const first = { to, input: concat([selector, ...values, pad('0x'), more]) } as const
    expect(originIn(first)).toEqual({ number, hash })
    expect(parentPricesIn(first)).toEqual({ l1GasPrice: '0x6', l1BlobBaseFee: '0x7' })
  }
})

test('any other transaction has neither', () => {
  for (const tell of [originIn, parentPricesIn]) {
    expect(tell(null)).toBeNull()
    expect(tell({ to: null, input: '0x440a5e20' })).toBeNull()
    expect(tell({ to: '0x4200000000000000000000000000000000000016', input: '0x440a5e20' })).toBeNull()
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 99 }), (bytes) => {
      const input: Hex = `0x${Buffer.from(bytes).toString('hex')}`
      expect(originIn({ to, input })).toBeNull()
      expect(parentPricesIn({ to, input })).toBeNull()
    }),
  )
})
