import { parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'
import { createSeal } from './seal.ts'
import { createSigner } from './signer.ts'

const masterKey = new Uint8Array(32).fill(1)
const userId = 7
const treasuryKey: Hex = `0x${'42'.repeat(32)}`
const transaction: SignableTransaction = {
  chainId: 84_532,
  nonce: 3,
  to: '0x0000000000000000000000000000000000000001',
  data: '0x1234',
  value: 5n,
  gas: 21_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
}

/** A signer over a store in memory. */
function signerOf(key = masterKey, kept = new Map<string, string>()) {
  const sealedKey = async (address: Hex) => {
    const text = kept.get(address.toLowerCase())
    return text === undefined ? null : { userId, sealedKey: text }
  }
  const signer = createSigner({ masterKey: key, treasuryKey, sealedKey })
  const make = () => {
    const wallet = signer.generate(userId, 'default')
    kept.set(wallet.address.toLowerCase(), wallet.sealedKey)
    return wallet
  }
  return { signer, make, kept }
}

describe('the signer', () => {
  test('signs for a generated wallet and for the treasury', async () => {
    const { signer, make } = signerOf()
    for (const address of [make().address, signer.treasury!, signer.treasury!.toLowerCase() as Hex]) {
      const { raw } = await signer.sign(address, transaction)
      expect(parseTransaction(raw)).toMatchObject({ nonce: 3, value: 5n, type: 'eip1559', chainId: 84_532 })
      const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
      expect(from.toLowerCase()).toBe(address.toLowerCase())
    }
    expect(signer.treasury).toBe(privateKeyToAccount(treasuryKey).address)
  })

  test('signs a legacy transaction of the chain where there is no tip', async () => {
    const { signer, make } = signerOf()
    const { address } = make()
    const { raw } = await signer.sign(address, { ...transaction, maxPriorityFeePerGas: null })
    expect(parseTransaction(raw)).toMatchObject({ type: 'legacy', gasPrice: 10n, chainId: 84_532, nonce: 3 })
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
    expect(from).toBe(address)
  })

  test('signs the same bytes each time', async () => {
    const { signer, make } = signerOf()
    const { address } = make()
    expect(await signer.sign(address, transaction)).toEqual(await signer.sign(address, transaction))
  })

  test('does not open a key with another master key, of another address, or changed', async () => {
    const { make, kept } = signerOf()
    const [one, two] = [make(), make()]
    const refusal = { code: 'FAILED_PRECONDITION' }
    const { signer: stranger } = signerOf(new Uint8Array(32).fill(2), kept)
    await expect(stranger.sign(one.address, transaction)).rejects.toMatchObject(refusal)
    const { signer } = signerOf(masterKey, kept)
    kept.set(one.address.toLowerCase(), two.sealedKey)
    await expect(signer.sign(one.address, transaction)).rejects.toMatchObject(refusal)
    kept.set(one.address.toLowerCase(), `${one.sealedKey.slice(0, -2)}AA`)
    await expect(signer.sign(one.address, transaction)).rejects.toMatchObject(refusal)
    await expect(signer.sign(transaction.to, transaction)).rejects.toMatchObject(refusal)
  })

  test('exposes no key', () => {
    const { make } = signerOf()
    const { sealedKey } = make()
    expect(sealedKey).toMatch(/^v3\.[0-9a-f]{12}\.[\w-]{80}$/)
    expect(make().sealedKey).not.toBe(sealedKey)
  })
})

test('a sealed secret opens only for its owner', () => {
  const seal = createSeal(masterKey)
  const owner = { userId, address: '0xAB' }
  const sealed = seal.close(new Uint8Array([1, 2, 3]), owner)
  expect([...seal.open(sealed, { userId, address: '0xab' })]).toEqual([1, 2, 3])
  for (const other of [
    { userId: 8, address: '0xab' },
    { userId, address: '0xac' },
  ])
    for (const open of [seal.open, seal.openAny]) expect(() => open(sealed, other)).toThrow()
  expect(() => seal.open('v3.AAAA', owner)).toThrow('not a sealed secret')
  expect(() => createSeal(new Uint8Array(16))).toThrow('32 bytes')
})
