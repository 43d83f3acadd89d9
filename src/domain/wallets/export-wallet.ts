import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import { isOwnPassword } from '../passwords/own-password.ts'

type Needs = 'accounts' | 'passwords' | 'signer' | 'wallets'
type ExportWallet = typeof contract.trading.exportWallet

/** Exports a key, encrypted under a password of the caller's choice. A token is not enough: it needs the account's password. */
export const exportWallet: Handler<ExportWallet, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const hash = await ports.accounts.passwordHash(userId)
  if (!(await isOwnPassword(ports, userId, hash, input.account_password)))
    throw call.fail('PERMISSION_DENIED', 'account_password is not the password of your account.')
  const wallet = await ports.wallets.find(userId, input.wallet_ref)
  if (wallet === null)
    throw call.fail(
      'NOT_FOUND',
      `You have no wallet ${input.wallet_ref}. Call trading.listWallets for the wallets you have.`,
    )
  if (wallet.custody === 'remote_signer')
    throw call.fail('FAILED_PRECONDITION', 'A remote signer holds the key of this wallet. Export it there.')
  const keystore = await ports.signer.exportKeystore(wallet.address, input.keystore_password)
  await ports.wallets.recordExport(wallet)
  return keystore as OutputOf<ExportWallet> // the gateway checks every output against the contract
}
