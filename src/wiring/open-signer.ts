import type { openWallets } from '../adapters/storage/accounts/wallets.ts'
import { openRemoteSigner } from '../adapters/wallets/remote-signer.ts'
import type { Seal } from '../adapters/wallets/seal.ts'
import { createSigner } from '../adapters/wallets/signer.ts'
import type { Signer } from '../domain/ports/wallets.ts'
import type { Config } from '../settings/config.ts'

/** Opens the signer over the stored keys. */
export function openSigner(
  config: Config,
  treasury: Pick<Parameters<typeof createSigner>[0], 'treasuryKey' | 'treasury'>,
  wallets: ReturnType<typeof openWallets>,
  seal: Seal,
): Signer & Disposable {
  const remote = config.SIGNER_URL === undefined ? null : openRemoteSigner(config.SIGNER_URL)
  const signer = createSigner({ masterKey: seal, ...treasury, sealedKey: wallets.sealedKey, remote })
  return { ...signer, [Symbol.dispose]: () => remote?.close() }
}
