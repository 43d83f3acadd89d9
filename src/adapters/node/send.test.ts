import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { DomainError } from '../../domain/core/errors.ts'
import { sendRaw } from './send.ts'

const bytes = '0x03f8'
const blobHash = `0x${'ab'.repeat(32)}`
const over = (call: (method: string) => Promise<unknown>) => sendRaw(call, bytes)

test('the hash is the one that the node returns, else that of the bytes', async () => {
  expect(await over(async () => blobHash)).toBe(blobHash)
  for (const odd of [true, '0x', null]) expect(await over(async () => odd)).toBe(keccak256(bytes))
})

test('what the node has already is sent; any other refusal stays one', async () => {
  const refusing = (refusal: string, found: unknown) =>
    over(async (method) => {
      if (method === 'eth_getTransactionByHash') return found
      throw new DomainError('TRANSACTION_REJECTED', refusal, { metadata: { refusal } })
    })
  expect(await refusing('already_known', null)).toBe(keccak256(bytes))
  expect(await refusing('nonce_too_low', {})).toBe(keccak256(bytes))
  await expect(refusing('nonce_too_low', null)).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' })
  await expect(refusing('underpriced', {})).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' })
})
