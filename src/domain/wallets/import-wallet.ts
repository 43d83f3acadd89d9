import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { Handler } from '../core/handler.ts'
import { addWallet } from './add-wallet.ts'
import { presentWallet } from './list-wallets.ts'

type Needs = 'clock' | 'signer' | 'wallets'

/** Imports a key from a keystore; it is encrypted before it is stored. */
export const importWallet: Handler<typeof contract.trading.importWallet, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  // Reading first only saves the decryption. Between two concurrent imports the database decides.
  if ((await ports.wallets.list(userId)).length >= bounds.walletsPerAccount)
    throw call.fail('FAILED_PRECONDITION', `The account has ${bounds.walletsPerAccount} wallets already.`)
  const sealed = await ports.signer.importKeystore(userId, input.wallet_ref, input.keystore, input.password)
  return presentWallet(await addWallet(ports, userId, sealed, 'none', call.fail))
}
