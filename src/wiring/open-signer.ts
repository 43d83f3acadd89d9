import type { openWallets } from '../adapters/storage/accounts/wallets.ts'
import { storedSecret } from '../adapters/system/secret-files.ts'
import { openRemoteSigner } from '../adapters/wallets/remote-signer.ts'
import { sealAnew } from '../adapters/wallets/reseal.ts'
import { createSeal } from '../adapters/wallets/seal.ts'
import { createSigner } from '../adapters/wallets/signer.ts'
import type { Signer } from '../domain/ports/wallets.ts'
import type { Config } from '../settings/config.ts'

/** The key of all secrets that are stored; the same in all processes of a gateway. */
export function masterKeyOf({ MASTER_KEY, DATA_DIR }: Config): Buffer {
  return Buffer.from(MASTER_KEY ?? storedSecret(DATA_DIR, 'master.key'), 'hex')
}

/**
 * Opens the signer over the stored keys, and encrypts anew those of the previous master key. Throws an Error that says
 * what to do where a key opens with neither.
 */
export async function openSigner(
  config: Config,
  treasury: Pick<Parameters<typeof createSigner>[0], 'treasuryKey' | 'treasury'>,
  wallets: ReturnType<typeof openWallets>,
): Promise<Signer & Disposable> {
  const masterKey = masterKeyOf(config)
  const earlierKeys = config.PREVIOUS_MASTER_KEY === undefined ? [] : [Buffer.from(config.PREVIOUS_MASTER_KEY, 'hex')]
  await sealAnew(wallets, createSeal(masterKey, earlierKeys))
  const remote = config.SIGNER_URL === undefined ? null : openRemoteSigner(config.SIGNER_URL)
  const signer = createSigner({ masterKey, earlierKeys, ...treasury, sealedKey: wallets.sealedKey, remote })
  return { ...signer, [Symbol.dispose]: () => remote?.close() }
}
