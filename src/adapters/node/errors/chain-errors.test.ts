import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { describe, expect, test } from 'vitest'
import { chainError, sendFailure } from './chain-errors.ts'

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
    ['txpool is full', 'pool_full'],
    ['the moon is in the wrong house', 'other'],
  ])('%s proves nothing of the transaction', (message, refusal) => {
    const error = new RpcRequestError({ body, url, error: { code: -32_003, message } })
    expect(sendFailure('sandbox', error)).toMatchObject({ code: 'UNAVAILABLE', details: { metadata: { refusal } } })
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
