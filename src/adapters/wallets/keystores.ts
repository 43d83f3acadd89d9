import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DomainError, invalid } from '../../domain/core/errors.ts'
import { timeLimit } from '../../domain/core/time-limit.ts'
import type { Keystore } from '../../domain/ports/wallets.ts'
import { createQueue } from '../async/queue.ts'
import { type CheckedKeystore, checkedKeystore } from './keystore-shape.ts'
import { addressOfKey } from './private-key.ts'

export type KeystoreJob =
  | { kind: 'read'; keystore: CheckedKeystore; password: string }
  | { kind: 'write'; key: Uint8Array; password: string }

export type KeystoreResult = { key: Uint8Array } | { keystore: object } | { fault: 'password' | 'content' }

/** Reads and writes keystores (Web3 Secret Storage, version 3). Keys have 32 bytes; the caller wipes them after use. */
export type Keystores = {
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
  const worker = new Worker(new URL('./keystore-worker.ts', import.meta.url), {
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
