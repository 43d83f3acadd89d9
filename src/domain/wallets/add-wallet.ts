import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { FundingState, RemoteWallet, SealedWallet, Wallet } from '../ports/wallets.ts'

/** Gives an account a wallet. ALREADY_EXISTS for its name or address, FAILED_PRECONDITION past the count of an account. */
export async function addWallet(
  ports: Pick<Ports, 'clock' | 'signer' | 'wallets'>,
  userId: number,
  sealed: SealedWallet | RemoteWallet,
  funding: FundingState,
): Promise<Wallet> {
  if (sealed.address.toLowerCase() === ports.signer.treasury?.toLowerCase())
    throw new DomainError('ALREADY_EXISTS', 'The gateway itself pays from this account; it cannot be a wallet.')
  const most = bounds.walletsPerAccount
  const wallet = await ports.wallets.create(userId, sealed, funding, ports.clock.now(), most)
  if (wallet === 'taken')
    throw new DomainError('ALREADY_EXISTS', `There is a wallet ${sealed.ref} already; choose another name.`)
  if (wallet === 'held')
    throw new DomainError('ALREADY_EXISTS', `${sealed.address} is a wallet here already; nothing was added.`)
  if (wallet === null)
    throw new DomainError('FAILED_PRECONDITION', `The account has ${most} wallets already; use one of them.`)
  return wallet
}
