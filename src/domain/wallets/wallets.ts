import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { isOwnPassword, type OwnPasswordNeeds } from '../passwords/own-password.ts'
import type { Ports } from '../ports/index.ts'
import type { FundingFailure, FundingState, RemoteWallet, SealedWallet, Wallet } from '../ports/wallets.ts'
import { startFunding, startingState } from './funding.ts'

/** The account's wallets, the oldest first. */
export const listWallets: Handler<typeof contract.trading.listWallets, 'wallets'> = async (ports, _input, call) =>
  (await ports.wallets.list(call.principal.userId)).map(presentWallet)

export function presentWallet({ ref, address, custody, funding, fundingFailure }: Wallet) {
  const funded = funding === 'done'
  const failure = funded || fundingFailure === null ? {} : { funding_error: failureText(fundingFailure) }
  return { wallet_ref: ref, address, funded, custody, ...failure }
}

function failureText({ tries, why, retryAt }: FundingFailure): string {
  const next =
    retryAt === null
      ? 'It is not paid again. Contact the operator, or send money to the wallet yourself.'
      : `It is paid again after ${retryAt.toISOString()}.`
  return `The starting money did not arrive (try ${tries}): ${why} ${next}`
}

type CreateNeeds = 'chains' | 'clock' | 'grants' | 'sender' | 'signer' | 'wallets'

/** Creates a wallet, which the sandbox then funds. */
export const createWallet: Handler<typeof contract.trading.createWallet, CreateNeeds> = async (ports, input, call) => {
  const { userId } = call.principal
  const sealed = ports.signer.generate(userId, input.wallet_ref)
  const wallet = await addWallet(ports, userId, sealed, startingState(ports), call.fail)
  startFunding(ports, wallet)
  return presentWallet(wallet)
}

type ImportNeeds = 'clock' | 'signer' | 'wallets'

/** Imports a key from a keystore; it is encrypted before it is stored. */
export const importWallet: Handler<typeof contract.trading.importWallet, ImportNeeds> = async (ports, input, call) => {
  const { userId } = call.principal
  // Reading first only saves the decryption. Between two concurrent imports the database decides.
  if ((await ports.wallets.list(userId)).length >= bounds.walletsPerAccount)
    throw call.fail('FAILED_PRECONDITION', `The account has ${bounds.walletsPerAccount} wallets already.`)
  const sealed = await ports.signer.importKeystore(userId, input.wallet_ref, input.keystore, input.password)
  return presentWallet(await addWallet(ports, userId, sealed, 'none', call.fail))
}

/** Adds a wallet to an account. ALREADY_EXISTS for a name or address in use, FAILED_PRECONDITION at the most wallets. */
export async function addWallet(
  ports: Pick<Ports, 'clock' | 'signer' | 'wallets'>,
  userId: number,
  sealed: SealedWallet | RemoteWallet,
  funding: FundingState,
  fail: Fail<'ALREADY_EXISTS' | 'FAILED_PRECONDITION'>,
): Promise<Wallet> {
  if (sealed.address.toLowerCase() === ports.signer.treasury?.toLowerCase())
    throw fail('ALREADY_EXISTS', 'The gateway pays the faucet from this address, so it cannot be a wallet.')
  const most = bounds.walletsPerAccount
  const wallet = await ports.wallets.create(userId, sealed, funding, ports.clock.now(), most)
  if (wallet === 'taken') throw fail('ALREADY_EXISTS', `You have a wallet ${sealed.ref} already. Choose another name.`)
  if (wallet === 'held')
    throw fail('ALREADY_EXISTS', `${sealed.address} is a wallet of this gateway already. Nothing was added.`)
  if (wallet === null)
    throw fail('FAILED_PRECONDITION', `The account has ${most} wallets already, which is the most. Use one of them.`)
  return wallet
}

type ExportNeeds = 'accounts' | 'signer' | 'wallets' | OwnPasswordNeeds
type ExportWallet = typeof contract.trading.exportWallet

/** Exports a key, encrypted under a password of the caller's choice. A token is not enough: it needs the account's password. */
export const exportWallet: Handler<ExportWallet, ExportNeeds> = async (ports, input, call) => {
  const { userId } = call.principal
  const hash = await ports.accounts.passwordHash(userId)
  if (!(await isOwnPassword(ports, call.principal, hash, input.account_password)))
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
