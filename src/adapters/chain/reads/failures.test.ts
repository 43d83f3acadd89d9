import { UnknownRpcError } from 'viem'
import { describe, expect, test } from 'vitest'
import { silence, TimeoutError } from '../../node/errors/failures.ts'
import { nodeError } from '../../node/errors/node-errors.ts'
import { chainFailure, sendFailure } from './failures.ts'

describe('failures of a node', () => {
  const url = 'https://node.example/v2/secret-key'
  const refused = (code: number, message: string) => nodeError('eth_sendRawTransaction', { code, message })

  test('a refusal names its kind', () => {
    expect(sendFailure('sandbox', refused(-32_000, 'nonce too low'))).toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: expect.stringContaining('The chain sandbox refused the transaction: nonce too low'),
      details: { metadata: { refusal: 'nonce_too_low' } },
    })
  })

  test.each([
    [-32_003, 'txpool is full'],
    [-32_003, 'the moon is in the wrong house'],
    [-32_603, 'the moon is in the wrong house'],
    [-32_602, 'cannot be decoded'],
  ])('%i %s proves nothing about the transaction', (code, message) => {
    expect(sendFailure('sandbox', refused(code, message))).toMatchObject({ code: 'UNAVAILABLE', details: {} })
  })

  test('a refusal counts by its text, whatever code comes with it', () => {
    expect(sendFailure('sandbox', refused(-32_603, 'insufficient funds'))).toMatchObject({
      code: 'TRANSACTION_REJECTED',
      details: { metadata: { refusal: 'insufficient_funds' } },
    })
  })

  test.each([
    ['no response', silence(new Error('TypeError')), 'UNAVAILABLE'],
    ['no response in time', silence(new TimeoutError('no response within 1 ms')), 'DEADLINE_EXCEEDED'],
    ['a revert', nodeError('eth_call', { code: 3, message: 'execution reverted', data: '0x' }), 'FAILED_PRECONDITION'],
    ['another error of the node', nodeError('eth_call', { code: -32_000, message: `${url} is full` }), 'UNAVAILABLE'],
    ['an unknown error', new Error('of a kind nobody knows'), 'UNAVAILABLE'],
  ])('%s', (_, error, code) => {
    for (const thrown of [error, new UnknownRpcError(error)]) {
      const failure = chainFailure('sandbox', thrown)
      expect(failure.code).toBe(code)
      expect(failure.cause).toBeInstanceOf(Error)
      expect(`${failure.message} ${failure.cause}`).not.toContain('secret-key')
    }
  })
})
