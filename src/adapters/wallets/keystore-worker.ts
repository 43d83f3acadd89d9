import { parentPort, workerData } from 'node:worker_threads'
import { Wallet } from '@ethereumjs/wallet'
import type { Opened } from './keystore-cipher.ts'
import type { KeystoreJob } from './keystores.ts'

/** Opens one keystore in a separate thread: the library derives a key synchronously, for a second or more. */
async function run({ keystore, password }: KeystoreJob): Promise<Opened> {
  try {
    return { key: (await Wallet.fromV3(JSON.stringify(keystore), password)).getPrivateKey() }
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : ''
    return { fault: message.startsWith('Key derivation failed') ? 'password' : 'content' }
  }
}

parentPort?.postMessage(await run(workerData as KeystoreJob))
