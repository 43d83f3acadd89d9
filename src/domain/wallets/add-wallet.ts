import { bounds } from '../../contract/shared/limits.ts'
import type { Fail } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { FundingState, RemoteWallet, SealedWallet, Wallet } from '../ports/wallets.ts'

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
