import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { DomainError, invalid } from '../../domain/core/errors.ts'
import { timeLimit } from '../../domain/core/time-limit.ts'
import type { Keystore } from '../../domain/ports/wallets.ts'
import { createQueue } from '../async/queue.ts'
import { type CheckedKeystore, checkedKeystore } from './keystore-shape.ts'

export type KeystoreJob =
  | { kind: 'read'; keystore: CheckedKeystore; password: string }
  | { kind: 'write'; key: Uint8Array; password: string }

export type KeystoreResult = { key: Uint8Array } | { keystore: object } | { fault: 'password' | 'content' }

/** Web3 Secret Storage of version 3, opened and written. Keys are 32 bytes; whoever gets one wipes it. */
export type Keystores = {
  /** Throws INVALID_ARGUMENT that names `password` or the field of `keystore` that is wrong. */
  read(keystore: Keystore, password: string): Promise<Uint8Array>
  write(key: Uint8Array, password: string): Promise<Keystore>
}

/** The hardest keystore that is let in takes a few seconds of a processor. */
const patienceMs = 60_000

/** One key at a time is derived, for each may take 256 MiB; four more may wait. */
export function createKeystores(): Keystores {
  const queued = createQueue({ atOnce: 1, waiting: 4, full: 'Too many keystores at once; try again in a few seconds.' })

  return {
    async read(keystore, password) {
      const checked = checkedKeystore(keystore)
      const result = await queued(() => inThread({ kind: 'read', keystore: checked, password }))
      if ('key' in result) {
        const { address } = checked
        if (address === undefined || addressOf(result.key) === `0x${address}`) return result.key
        result.key.fill(0)
        throw invalid('keystore.address', 'is not the address of the key inside')
      }
      if ('fault' in result && result.fault === 'password') throw invalid('password', 'does not open this keystore')
      throw invalid('keystore.crypto.ciphertext', 'does not hold a private key')
    },
    async write(key, password) {
      const result = await queued(() => inThread({ kind: 'write', key, password }))
      if (!('keystore' in result)) throw new Error('A keystore was asked for and something else was answered.')
      return { ...result.keystore }
    },
  }
}

function addressOf(key: Uint8Array): string {
  return privateKeyToAddress(toHex(key)).toLowerCase()
}

/** Runs a job in a thread that ends with it and gives its memory back; the thread is told nothing of the environment. */
async function inThread(job: KeystoreJob): Promise<KeystoreResult> {
  const worker = new Worker(new URL('./keystore-worker.ts', import.meta.url), {
    workerData: job,
    env: {},
    execArgv: [],
  })
  try {
    const [result] = await once(worker, 'message', { signal: timeLimit(patienceMs) })
    return result as KeystoreResult
  } catch (cause) {
    // What a library says of a failure may quote what it was given.
    const kind = cause instanceof Error ? cause.name : typeof cause
    throw new DomainError('UNAVAILABLE', 'The keystore could not be worked on; try again.', {}, new Error(kind))
  } finally {
    await worker.terminate()
  }
}
