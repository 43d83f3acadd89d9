import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { keccak256 } from 'viem'
import type { Keystore } from '../../domain/ports/wallets.ts'
import { addressOfKey, isPrivateKey } from './private-key.ts'

/** Parameters of scrypt as a keystore names them. */
export type Scrypt = { n: number; r: number; p: number; dklen: 32; salt: string }
type Pbkdf2 = { c: number; dklen: 32; salt: string }

/** The encrypted part of a keystore, with hex in lower case without 0x. */
export type Encrypted = { cipher: 'aes-128-ctr'; cipherparams: { iv: string }; ciphertext: string; mac: string } & (
  | { kdf: 'scrypt'; kdfparams: Scrypt }
  | { kdf: 'pbkdf2'; kdfparams: Pbkdf2 }
)

/** A key, or what is wrong: the password, or what the file holds. */
export type Opened = { key: Uint8Array } | { fault: 'password' | 'content' }

/** The cost of files that geth writes. */
const usual = { n: 262_144, r: 8, p: 1, dklen: 32 } as const

/** Whether OpenSSL derives such a key: as RFC 7914 says, n has at most as many bits as a block of 16 r bytes can tell. */
export function isNative(crypto: Encrypted): boolean {
  return crypto.kdf === 'pbkdf2' || crypto.kdfparams.r > 1 || crypto.kdfparams.n < 2 ** 16
}

/** Decrypts beside other work: the derivation runs in a thread of the pool. All bytes but the key's are wiped. */
export async function decrypted(crypto: Encrypted, password: string): Promise<Opened> {
  const derived = await derivedKey(crypto, password)
  const ciphertext = Buffer.from(crypto.ciphertext, 'hex')
  try {
    if (macOf(derived, ciphertext) !== crypto.mac) return { fault: 'password' }
    const iv = Buffer.from(crypto.cipherparams.iv, 'hex')
    const key = new Uint8Array(32)
    // CTR is a stream, so the last part of the cipher is empty.
    const plain = createDecipheriv(crypto.cipher, derived.subarray(0, 16), iv).update(ciphertext)
    key.set(plain)
    plain.fill(0)
    return isPrivateKey(key) ? { key } : { fault: 'content' }
  } finally {
    derived.fill(0)
  }
}

/** Encrypts with new random values, at the cost of files that geth writes. */
export async function encrypted(key: Uint8Array, password: string): Promise<Keystore> {
  const iv = randomBytes(16)
  const kdfparams = { ...usual, salt: randomBytes(32).toString('hex') }
  const derived = await derivedKey({ kdf: 'scrypt', kdfparams }, password)
  try {
    const ciphertext = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(key)
    return {
      version: 3,
      id: randomUUID(),
      address: addressOfKey(key).slice(2).toLowerCase(),
      crypto: {
        ciphertext: ciphertext.toString('hex'),
        cipherparams: { iv: iv.toString('hex') },
        cipher: 'aes-128-ctr',
        kdf: 'scrypt',
        kdfparams,
        mac: macOf(derived, ciphertext),
      },
    }
  } finally {
    derived.fill(0)
  }
}

type Derivation = { kdf: 'scrypt'; kdfparams: Scrypt } | { kdf: 'pbkdf2'; kdfparams: Pbkdf2 }

async function derivedKey(by: Derivation, password: string): Promise<Buffer> {
  const salt = Buffer.from(by.kdfparams.salt, 'hex')
  if (by.kdf === 'pbkdf2') return await promisify(pbkdf2)(password, salt, by.kdfparams.c, by.kdfparams.dklen, 'sha256')
  const { n, r, p, dklen } = by.kdfparams
  return await derivedByScrypt(password, salt, dklen, { N: n, r, p, maxmem: 128 * r * (n + p + 2) })
}

const derivedByScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt)

function macOf(derived: Buffer, ciphertext: Buffer): string {
  const secret = Buffer.concat([derived.subarray(16, 32), ciphertext])
  const mac = keccak256(secret).slice(2)
  secret.fill(0)
  return mac
}
