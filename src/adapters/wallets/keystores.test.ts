import { Wallet } from '@ethereumjs/wallet'
import { toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { operationOf } from '../../contract/index.ts'
import { createKeystores } from './keystores.ts'

/** The examples of the specification of Web3 Secret Storage. */
const secret = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const password = 'testpassword'
const pbkdf2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const scrypt = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

// biome-ignore lint/suspicious/noExplicitAny: files are broken in every way
type File = any

/** A cheap keystore of a key, changed at some places. */
async function cheap(change: (file: File) => void = () => undefined) {
  const file = await Wallet.generate().toV3(password, { kdf: 'scrypt', n: 2, r: 1, p: 1 } as never)
  const copy = JSON.parse(JSON.stringify(file))
  change(copy)
  return copy
}

describe('reading', () => {
  test.each([
    ['pbkdf2', pbkdf2],
    ['scrypt', scrypt],
  ])('opens the example with %s of the specification', async (_, file) => {
    expect(toHex(await createKeystores().read(file, password))).toBe(secret)
  })

  test('opens the example of the contract, and returns its address', async () => {
    const { input, output } = operationOf('trading.importWallet').example
    const key = await createKeystores().read(input.keystore, input.password)
    expect(privateKeyToAddress(toHex(key))).toBe(output.address)
  })

  test('accepts capitals, prefixes, unknown fields and the older spelling', async () => {
    const { crypto, ...rest } = pbkdf2
    const upper = { ...crypto, ciphertext: `0x${crypto.ciphertext.toUpperCase()}`, mac: crypto.mac.toUpperCase() }
    const address = '0x008AEEDA4D805471DF9B2A5B0F38A0C3BCBA786B'
    const file = { ...rest, Crypto: upper, address, name: 'savings', 'x-ethers': { client: 'other' } }
    expect(toHex(await createKeystores().read(file, password))).toBe(secret)
  })

  test('reports a wrong password', async () => {
    const wrong = createKeystores().read(await cheap(), 'another')
    await expect(wrong).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { violations: [{ path: 'password' }] },
    })
  })

  test.each([
    ['version', (file: File) => (file.version = 1)],
    ['address', (file: File) => (file.address = '00'.repeat(20))],
    ['address', (file: File) => (file.address = 5)],
    ['crypto', (file: File) => delete file.crypto],
    ['crypto.kdf', (file: File) => (file.crypto.kdf = 'bcrypt')],
    ['crypto.cipher', (file: File) => (file.crypto.cipher = 'aes-128-cbc')],
    ['crypto.ciphertext', (file: File) => (file.crypto.ciphertext += '00')],
    ['crypto.cipherparams.iv', (file: File) => (file.crypto.cipherparams.iv = 'xyz')],
    ['crypto.mac', (file: File) => (file.crypto.mac = '')],
    ['crypto.kdfparams.salt', (file: File) => (file.crypto.kdfparams.salt = 'ab'.repeat(65))],
    ['crypto.kdfparams.dklen', (file: File) => (file.crypto.kdfparams.dklen = 16)],
    ['crypto.kdfparams.n', (file: File) => (file.crypto.kdfparams.n = 3)],
    ['crypto.kdfparams.n', (file: File) => (file.crypto.kdfparams.n = 2 ** 21)],
    ['crypto.kdfparams.n', (file: File) => Object.assign(file.crypto.kdfparams, { n: 2 ** 19, r: 8 })],
    ['crypto.kdfparams.n', (file: File) => Object.assign(file.crypto.kdfparams, { n: 2 ** 18, r: 8, p: 3 })],
    ['crypto.kdfparams.n', (file: File) => Object.assign(file.crypto.kdfparams, { n: 2, r: 65_536, p: 65_536 })],
    ['crypto.kdfparams.p', (file: File) => (file.crypto.kdfparams.p = 1e300)],
    ['crypto.kdfparams.n', (file: File) => (file.crypto.kdfparams.n = '262144')],
    ['crypto.kdfparams.n', (file: File) => delete file.crypto.kdfparams.n],
    ['crypto.kdfparams.dklen', (file: File) => delete file.crypto.kdfparams.dklen],
    ['crypto.kdfparams', (file: File) => delete file.crypto.kdfparams],
    ['crypto.cipherparams', (file: File) => (file.crypto.cipherparams = 'iv')],
    ['crypto.kdfparams.r', (file: File) => (file.crypto.kdfparams.r = -1)],
    [
      'crypto.kdfparams.c',
      (file: File) =>
        Object.assign(file.crypto, { kdf: 'pbkdf2', kdfparams: { ...pbkdf2.crypto.kdfparams, c: 1_000_001 } }),
    ],
    [
      'crypto.kdfparams.prf',
      (file: File) =>
        Object.assign(file.crypto, { kdf: 'pbkdf2', kdfparams: { ...pbkdf2.crypto.kdfparams, prf: 'hmac-sha1' } }),
    ],
  ])('refuses a file whose %s is wrong, before any work', async (path, change) => {
    const read = createKeystores().read(await cheap(change), password)
    await expect(read).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      // The error has the gateway's own message in all cases.
      details: { violations: [{ path: `keystore.${path}`, message: expect.stringMatching(/^(must|needs|is not)/) }] },
    })
  })

  test('does not block other work, and refuses more files than may wait', async () => {
    const keystores = createKeystores()
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    const file = await cheap()
    const slow = await Wallet.generate().toV3(password, { kdf: 'scrypt', n: 32_768 })
    const reads = Array.from({ length: 7 }, (_, index) => keystores.read(index === 0 ? slow : file, password))
    const ends = await Promise.allSettled(reads)
    clearInterval(timer)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    for (const end of ends.slice(5)) expect(end).toMatchObject({ reason: { code: 'RATE_LIMITED' } })
    expect(turns).toBeGreaterThan(10)
  })
})

test('a written keystore opens with its password', async () => {
  const keystores = createKeystores()
  const key = new Uint8Array(32).fill(9)
  const file = (await keystores.write(key, 'pässwörd 🔑')) as { address: string; crypto: { kdfparams: object } }
  expect(file).toMatchObject({ version: 3, crypto: { kdf: 'scrypt', kdfparams: { n: 262_144, r: 8, p: 1 } } })
  expect(`0x${file.address}`).toBe(privateKeyToAddress(toHex(key)).toLowerCase())
  expect(await keystores.read(file, 'pässwörd 🔑')).toEqual(key)
})
