import fc from 'fast-check'
import { encodeAbiParameters, encodePacked, type Hex, numberToHex, pad } from 'viem'
import { extractTransactionDepositedLogs, getL2TransactionHash } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { depositedTopic, depositOf } from './deposits.ts'

const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
const anyBytes = fc.uint8Array({ maxLength: 80 }).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
const uint = (bits: number) => fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))

test('has the hash that viem foretells, whatever is deposited', () => {
  const deposit = [bytes(20), bytes(20), uint(128), uint(256), uint(64), fc.boolean(), anyBytes] as const
  fc.assert(
    fc.property(...deposit, bytes(32), fc.nat(5_000), (from, to, mint, value, gas, isCreation, data, block, index) => {
      const opaque = encodePacked(
        ['uint256', 'uint256', 'uint64', 'bool', 'bytes'],
        [mint, value, gas, isCreation, data],
      )
      const log = {
        blockHash: block,
        logIndex: numberToHex(index),
        transactionHash: block,
        topics: [depositedTopic, pad(from), pad(to), pad('0x')],
        data: encodeAbiParameters([{ type: 'bytes' }], [opaque]),
      }
      const [known] = extractTransactionDepositedLogs({ logs: [{ ...log, logIndex: index } as never] })
      if (!known) throw new Error('viem does not know the log')
      expect(depositOf(log)).toMatchObject({ hash: getL2TransactionHash({ log: known }), mint: numberToHex(mint) })
    }),
  )
})

test('of an unknown encoding is none', () => {
  const topics = [depositedTopic, pad('0x01'), pad('0x02'), pad('0x01')]
  expect(depositOf({ blockHash: '0x', logIndex: '0x0', transactionHash: '0x', topics, data: '0x' })).toBeNull()
})
