import { serializeTransaction, type TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { SignableTransaction } from '../../domain/ports/chains.ts'
import { verified } from './remote-signer.ts'

const account = privateKeyToAccount(generatePrivateKey())
const to = '0x00000000000000000000000000000000000000aa'
const requested = {
  chainId: 84_532,
  nonce: 3,
  to,
  data: '0x12aB',
  value: 5n,
  gas: 21_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
} as const satisfies SignableTransaction
const signed = (change: object = {}, by = account) =>
  by.signTransaction({ ...requested, type: 'eip1559', ...change } as TransactionSerializable)

test('accepts the requested transaction, also where zeros are left out', async () => {
  expect(await verified(await signed(), account.address, requested)).toMatchObject({ raw: await signed() })
  const bare = { ...requested, nonce: 0, data: '0x', value: 0n, maxPriorityFeePerGas: 0n } as const
  expect(await verified(await signed(bare), account.address, bare)).toMatchObject({ raw: await signed(bare) })
})

test.each([
  ['chainId', { chainId: 1 }],
  ['nonce', { nonce: 4 }],
  ['nonce', { nonce: 0 }],
  ['to', { to: account.address }],
  ['to', { to: null }],
  ['data', { data: '0x12ac' }],
  ['data', { data: '0x' }],
  ['value', { value: 6n }],
  ['gas', { gas: 21_001n }],
  ['maxFeePerGas', { maxFeePerGas: 11n }],
  ['maxPriorityFeePerGas', { maxPriorityFeePerGas: 2n }],
  ['accessList', { accessList: [{ address: to, storageKeys: [] }] }],
  ['type', { type: 'legacy', gasPrice: 10n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }],
  ['type', { type: 'eip7702', authorizationList: [] }],
])('refuses another %s: %o', async (part, change) => {
  const raw = await signed(change)
  await expect(verified(raw, account.address, requested)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringContaining(`its ${part} differs`),
  })
})

test('refuses the signature of another account, a missing one, and bytes that are not a transaction', async () => {
  const refusal = { code: 'FAILED_PRECONDITION' }
  const other = await signed({}, privateKeyToAccount(generatePrivateKey()))
  const unsigned = serializeTransaction({ ...requested, type: 'eip1559' })
  for (const raw of [other, unsigned, '0x', '0x02', '0x02c0', `0x02f8${'ff'.repeat(90)}`] as const)
    await expect(verified(raw, account.address, requested)).rejects.toMatchObject(refusal)
})

test('accepts a legacy transaction where one was requested, with the chain id and the price alone', async () => {
  const legacy: SignableTransaction = { ...requested, maxFeePerGas: 10n, maxPriorityFeePerGas: null }
  const fees = { type: 'legacy', gasPrice: 10n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
  const raw = await signed(fees)
  expect(await verified(raw, account.address, legacy)).toMatchObject({ raw })
  const others = [
    [await signed({ ...fees, gasPrice: 11n }), 'gasPrice'],
    [await signed({ ...fees, chainId: undefined }), 'chainId'],
    [await signed(), 'type'],
  ] as const
  for (const [other, part] of others)
    await expect(verified(other, account.address, legacy)).rejects.toThrow(`its ${part} differs`)
})
