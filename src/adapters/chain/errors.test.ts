import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { describe, expect, test } from 'vitest'
import { chainError, refusalOf, sendFailure } from './errors.ts'

describe('what nodes say of a transaction', () => {
  test.each([
    ['anvil', 'nonce too low', 'nonce_too_low'],
    ['geth', 'nonce too low: next nonce 5, tx nonce 3', 'nonce_too_low'],
    ['nethermind', 'OldNonce, Current nonce: 12, nonce of rejected tx: 11.', 'nonce_too_low'],
    ['erigon', 'nonce too low: address 0x1, tx: 1 state: 2', 'nonce_too_low'],
    ['nethermind', 'NonceGap, Future nonce. Expected nonce: 3', 'nonce_too_high'],
    ['anvil', 'Insufficient funds for gas * price + value', 'insufficient_funds'],
    [
      'geth',
      'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000',
      'insufficient_funds',
    ],
    ['reth', 'insufficient funds for gas * price + value: have 0 want 1', 'insufficient_funds'],
    ['nethermind', 'InsufficientFunds, Account balance: 0, cumulative cost: 1', 'insufficient_funds'],
    ['geth', 'replacement transaction underpriced: new tx gas fee cap 1 <= 2 queued', 'replacement_underpriced'],
    ['nethermind', 'ReplacementNotAllowed', 'replacement_underpriced'],
    ['erigon', 'could not replace existing tx', 'replacement_underpriced'],
    [
      'geth',
      'max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7',
      'fee_below_base_fee',
    ],
    ['erigon', 'fee cap less than block base fee', 'fee_below_base_fee'],
    ['geth', 'transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low.', 'underpriced'],
    ['geth', 'intrinsic gas too low: gas 20000, minimum needed 21000', 'gas_too_low'],
    ['geth', 'exceeds block gas limit', 'gas_too_high'],
    ['geth', 'invalid chain id for signer: have 5 want 1', 'wrong_chain'],
    ['reth', 'txpool is full', 'pool_full'],
    ['any', 'the moon is in the wrong house', 'other'],
  ])('%s: %s', (_node, message, kind) => {
    expect(refusalOf(message)?.kind).toBe(kind)
  })

  test.each([
    ['anvil', 'transaction already imported'],
    ['geth', 'already known'],
    ['nethermind', 'AlreadyKnown'],
    ['erigon', 'existing tx with same hash'],
    ['besu', 'Known transaction'],
  ])('%s has it already: %s', (_node, message) => {
    expect(refusalOf(message)).toBeNull()
  })
})

describe('foreign errors', () => {
  const url = 'https://node.example/v2/secret-key'
  const body = { method: 'eth_sendRawTransaction' }

  test('a refusal names its kind', () => {
    const error = new RpcRequestError({ body, url, error: { code: -32_000, message: 'nonce too low' } })
    expect(sendFailure('sandbox', error)).toMatchObject({
      code: 'TRANSACTION_REJECTED',
      details: { metadata: { refusal: 'nonce_too_low' } },
    })
  })

  test.each([
    [new HttpRequestError({ body, url, details: `cannot reach ${url}` }), 'UNAVAILABLE'],
    [new TimeoutError({ body, url }), 'DEADLINE_EXCEEDED'],
    [
      new RpcRequestError({ body, url, error: { code: 3, message: 'execution reverted', data: '0x' } }),
      'FAILED_PRECONDITION',
    ],
    [new Error('of a kind nobody knows'), 'UNAVAILABLE'],
  ])('%s', (error, code) => {
    const translated = chainError('sandbox', error)
    expect(translated.code).toBe(code)
    expect(translated.cause).toBeInstanceOf(Error)
    expect(`${translated.message} ${translated.cause}`).not.toContain('secret-key')
  })
})
