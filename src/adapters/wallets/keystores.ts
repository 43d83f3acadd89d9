import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { DomainError, invalid } from '../../domain/core/errors.ts'
import type { Keystore } from '../../domain/ports/wallets.ts'
import { moduleExtension } from '../../kit/project.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { createQueue } from '../async/queue.ts'
import { addressOfKey } from './private-key.ts'

export type KeystoreJob =
  | { kind: 'read'; keystore: CheckedKeystore; password: string }
  | { kind: 'write'; key: Uint8Array; password: string }

export type KeystoreResult = { key: Uint8Array } | { keystore: object } | { fault: 'password' | 'content' }

/** Reads and writes keystores (Web3 Secret Storage, version 3). Keys have 32 bytes; the caller wipes them after use. */
type Keystores = {
  /** Throws INVALID_ARGUMENT that names `password` or the field of `keystore` that is wrong. */
  read(keystore: Keystore, password: string): Promise<Uint8Array>
  write(key: Uint8Array, password: string): Promise<Keystore>
}

/** The most expensive keystore within the bounds takes a few seconds of CPU. */
const timeoutMs = 60_000

/** Derives one key at a time, because each may take 256 MiB; four more may wait. */
export function createKeystores(): Keystores {
  const queued = createQueue({
    atOnce: 1,
    waiting: 4,
    full: 'Too many keystores are being processed. Try again in a few seconds.',
  })

  return {
    async read(keystore, password) {
      const checked = checkedKeystore(keystore)
      const result = await queued(() => inThread({ kind: 'read', keystore: checked, password }))
      if ('key' in result) {
        const { address } = checked
        if (address === undefined || addressOfKey(result.key).toLowerCase() === `0x${address}`) return result.key
        result.key.fill(0)
        throw invalid('keystore.address', 'is not the address of the key inside')
      }
      if ('fault' in result && result.fault === 'password') throw invalid('password', 'does not open this keystore')
      throw invalid('keystore.crypto.ciphertext', 'does not hold a private key')
    },
    async write(key, password) {
      const result = await queued(() => inThread({ kind: 'write', key, password }))
      if (!('keystore' in result)) throw new Error('The keystore worker returned no keystore.')
      return { ...result.keystore }
    },
  }
}

/** Runs a job in a new thread, which frees its memory when it ends and gets no environment variables. */
async function inThread(job: KeystoreJob): Promise<KeystoreResult> {
  const worker = new Worker(new URL(`./keystore-worker${moduleExtension}`, import.meta.url), {
    workerData: job,
    env: {},
    execArgv: [],
  })
  try {
    const [result] = await once(worker, 'message', { signal: timeLimit(timeoutMs) })
    return result as KeystoreResult
  } catch (cause) {
    // A library's error text may quote its input, so only the name of the error is logged.
    const kind = cause instanceof Error ? cause.name : typeof cause
    throw new DomainError('UNAVAILABLE', 'The keystore could not be processed. Try again.', {}, new Error(kind))
  } finally {
    await worker.terminate()
  }
}

/** Bytes as hex, with or without 0x and in any letter case; the result is in lower case without 0x. */
const hex = (bytes: number) =>
  text(new RegExp(`^(0x)?[0-9a-fA-F]{${bytes * 2}}$`), `must be ${bytes} bytes as hex digits`)
const salt = text(/^(0x)?([0-9a-fA-F]{2}){1,64}$/, 'must be 1 to 64 bytes as hex digits')

function text(pattern: RegExp, message: string) {
  return z.string(message).regex(pattern, message).transform(plain)
}

function whole(most: number) {
  const message = `must be a whole number from 1 to ${most}`
  return z.int(message).min(1, message).max(most, message)
}

function object<Shape extends z.ZodRawShape>(fields: Shape) {
  return z.object(fields, 'must be an object')
}

/** The derived key has 32 bytes: one half encrypts and the other authenticates. */
const dklen = z.literal(32, 'must be 32')

/** Upper bounds: twice the work and the same memory (256 MiB) as the keystores that geth writes. */
const most = { scryptMemory: 2 ** 28, scryptWork: 2 ** 22, pbkdf2Rounds: 1_000_000 } as const

const scrypt = object({ n: whole(2 ** 20), r: whole(2 ** 16), p: whole(2 ** 16), dklen, salt })
  .refine(({ n }) => n > 1 && Number.isInteger(Math.log2(n)), { path: ['n'], message: 'must be a power of two' })
  .refine(({ n, r, p }) => 128 * r * (n + p) <= most.scryptMemory + 2 ** 20 && n * r * p <= most.scryptWork, {
    path: ['n'],
    message: 'needs too much memory or work together with r and p; create the keystore again with n 262144, r 8, p 1',
  })

const pbkdf2 = object({
  c: whole(most.pbkdf2Rounds),
  prf: z.literal('hmac-sha256', 'must be hmac-sha256'),
  dklen,
  salt,
})

const cipher = {
  cipher: z.literal('aes-128-ctr', 'must be aes-128-ctr'),
  cipherparams: object({ iv: hex(16) }),
  ciphertext: hex(32),
  mac: hex(32),
}

const shape = z.object({
  version: z.literal(3, 'must be 3: a Web3 Secret Storage file of that version'),
  address: hex(20).optional(),
  crypto: z.discriminatedUnion(
    'kdf',
    [
      z.object({ kdf: z.literal('scrypt'), kdfparams: scrypt, ...cipher }),
      z.object({ kdf: z.literal('pbkdf2'), kdfparams: pbkdf2, ...cipher }),
    ],
    'must be an object whose kdf is scrypt or pbkdf2',
  ),
})

/** A keystore whose parameters are within bounds, so that deriving its key has a bounded cost. */
type CheckedKeystore = z.output<typeof shape>

/** Parses a Web3 Secret Storage file; older programs write `Crypto`. Throws INVALID_ARGUMENT that names the wrong field. */
function checkedKeystore(given: Keystore): CheckedKeystore {
  const { Crypto: older, ...rest } = given
  const parsed = shape.safeParse(older !== undefined && rest.crypto === undefined ? { ...rest, crypto: older } : rest)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(['keystore', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not a keystore')
}

function plain(text: string): string {
  return text.toLowerCase().replace(/^0x/, '')
}
