import { parentPort, workerData } from 'node:worker_threads'
import { Wallet } from '@ethereumjs/wallet'
import type { KeystoreJob, KeystoreResult } from './keystores.ts'

/** Runs one job in a separate thread: the library derives a key synchronously, for a second or more. */
async function run(job: KeystoreJob): Promise<KeystoreResult> {
  if (job.kind === 'write') return { keystore: await Wallet.fromPrivateKey(job.key).toV3(job.password) }
  try {
    return { key: (await Wallet.fromV3(JSON.stringify(job.keystore), job.password)).getPrivateKey() }
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : ''
    return { fault: message.startsWith('Key derivation failed') ? 'password' : 'content' }
  }
}

parentPort?.postMessage(await run(workerData as KeystoreJob))
