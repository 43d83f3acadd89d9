import fc from 'fast-check'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { expect, test } from 'vitest'
import { messagesOfInput } from './claims.ts'

const portalAbi = parseAbi([
  'struct Message { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
  'function finalizeWithdrawalTransaction(Message withdrawal)',
  'function finalizeWithdrawalTransactionExternalProof(Message withdrawal, address submitter)',
])
const safeAbi = parseAbi(['function execTransaction(address to, uint256 value, bytes data, bytes signatures)'])
const multicallAbi = parseAbi(['struct Call { address target; bytes data; }', 'function aggregate(Call[] calls)'])
const alice = `0x${'a1'.repeat(20)}` as const

const bytes = fc.uint8Array({ maxLength: 200 }).map((all) => `0x${Buffer.from(all).toString('hex')}` as Hex)
const messages = fc.array(
  fc.record({ nonce: fc.bigInt(0n, 2n ** 240n), value: fc.bigInt(0n, 2n ** 96n), data: bytes, isOther: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
)

test('withdrawals are found in the input of any call around the portal', () => {
  fc.assert(
    fc.property(messages, bytes, fc.boolean(), (drawn, around, isNested) => {
      const withdrawals = drawn.map(({ isOther, ...rest }) => ({
        isOther,
        message: { ...rest, sender: alice, target: alice, gasLimit: 21_000n },
      }))
      const calls = withdrawals.map(({ message, isOther }) => ({
        target: alice,
        data: isOther
          ? encodeFunctionData({
              abi: portalAbi,
              functionName: 'finalizeWithdrawalTransactionExternalProof',
              args: [message, alice],
            })
          : encodeFunctionData({ abi: portalAbi, functionName: 'finalizeWithdrawalTransaction', args: [message] }),
      }))
      const many = encodeFunctionData({ abi: multicallAbi, args: [calls] })
      const inner = isNested ? encodeFunctionData({ abi: safeAbi, args: [alice, 0n, many, around] }) : many
      const hashes = withdrawals.map(({ message: { nonce, sender, target, value, gasLimit, data } }) =>
        keccak256(
          encodeAbiParameters(parseAbiParameters('uint256, address, address, uint256, uint256, bytes'), [
            nonce,
            sender,
            target,
            value,
            gasLimit,
            data,
          ]),
        ),
      )
      const found = messagesOfInput(concat([around, inner]))
      expect(hashes.map((hash) => found.get(hash)?.value)).toEqual(withdrawals.map(({ message }) => message.value))
    }),
  )
})

test('an input that only resembles such calls finds nothing', () => {
  for (const input of [`0x${'8c3152e9'.repeat(30_000)}`, '0x8c3152e9', '0x', `0x8c3152e9${'f'.repeat(1_000)}`] as const)
    expect(messagesOfInput(input).size).toBe(0)
})

test('many calls that seem to lie within each other are decoded in part', () => {
  // Each claims all of the input behind it as the data of its message.
  const words = (...values: number[]) => values.map((value) => value.toString(16).padStart(64, '0')).join('')
  const one = (rest: number) => `8c3152e9${words(32, 1, 2, 3, 4, 5, 192, rest)}`
  const length = one(0).length / 2
  const input: Hex = `0x${Array.from({ length: 400 }, (_, at) => one((399 - at) * length)).join('')}`
  expect(messagesOfInput(input).size).toBeLessThan(400)
})
