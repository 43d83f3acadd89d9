import type { Chain } from '../ports/chains.ts'
import { nativeToken } from '../ports/chains.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { FundingState, Wallet } from '../ports/wallets.ts'
import type { Ports } from '../ports.ts'
import { isDone } from './advance.ts'
import { bookDeposit } from './book-fill.ts'

/** Enough for the grant, which moves four assets. */
const grantGas = 500_000n

type RequestNeeds = Pick<Ports, 'chains' | 'grants' | 'sender' | 'signer'>

/** Sends a new wallet its starting money, where the chain gives any; asked again for the same wallet it sends nothing. */
export async function requestFunding(ports: RequestNeeds, wallet: Pick<Wallet, 'id' | 'address'>): Promise<void> {
  const { grants, signer, sender } = ports
  const chain = grants === null ? null : ports.chains.find(grants.chainId)
  if (grants === null || chain === null || signer.treasury === null) return
  const legs = [{ kind: 'fund', call: grants.forAccount(wallet.address), gas: grantGas }] as const
  await sender.send({ chain, from: signer.treasury, reference: `wallet:${wallet.id}`, legs })
}

/** What a new wallet begins with: money on its way where the chain gives any. */
export function startingState({ grants, signer }: Pick<Ports, 'grants' | 'signer'>): FundingState {
  return grants === null || signer.treasury === null ? 'none' : 'wanted'
}

/** Funds a new wallet at once; the sender would find it at the next block, and makes good what fails here. */
export function startFunding(ports: RequestNeeds, wallet: Wallet): void {
  if (wallet.funding === 'wanted') requestFunding(ports, wallet).catch(() => undefined)
}

/**
 * Funds the wallets that still wait for it: those just made, and those of a process that died before. What fails for one
 * is told to `failed` and holds up no other.
 */
export async function fundWaiting(
  ports: RequestNeeds & Pick<Ports, 'wallets'>,
  chain: Chain,
  failed: (failure: unknown) => void,
): Promise<void> {
  if (ports.grants?.chainId !== chain.info.id) return
  for (const wallet of await ports.wallets.unfunded()) {
    if (wallet.funding === 'wanted') await requestFunding(ports, wallet).catch(failed)
  }
}

/** A block or two: how long a call that needs a wallet's money waits for its starting money. */
const patienceMs = 8_000

/** The wallet once its starting money is there, or as it is when patience ends; a wallet without any is answered at once. */
export async function whenFunded(ports: Pick<Ports, 'outbox' | 'wallets'>, wallet: Wallet): Promise<Wallet> {
  const patience = AbortSignal.timeout(patienceMs)
  let present = wallet
  while ((present.funding === 'wanted' || present.funding === 'sent') && !patience.aborted) {
    await ports.outbox.changed(`wallet:${wallet.id}`, patience)
    present = (await ports.wallets.find(wallet.userId, wallet.ref)) ?? present
  }
  return present
}

type FollowNeeds = Pick<Ports, 'clock' | 'grants' | 'ledger' | 'wallets'>

/** Keeps the wallet's funding state in step with its transaction, and books the money once it is mined. */
export async function followFunding(ports: FollowNeeds, chain: Chain, walletId: number, legs: readonly Outgoing[]) {
  const reference = `wallet:${walletId}`
  const wallet = await ports.wallets.load(walletId)
  if (wallet === null) return
  if (!legs.every(isDone)) {
    await ports.ledger.unbook(reference)
    if (wallet.funding === 'wanted' && legs.some(({ attempts }) => attempts.length > 0)) {
      await ports.wallets.setFunding(walletId, 'sent')
    }
    return
  }
  if (!legs.every(({ outcome }) => outcome === 'success')) {
    await ports.ledger.unbook(reference) // a block that left the chain may have paid it
    // Stays unfunded: paying again by itself could empty the treasury for a wallet that cannot be paid.
    await ports.wallets.setFunding(walletId, 'failed')
    return
  }
  const amounts = ports.grants?.amounts ?? []
  const place = { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id }
  const deposits = amounts.map(({ token, amount }) => ({ token: token === 'native' ? nativeToken : token, amount }))
  await bookDeposit(ports, chain, reference, place, deposits)
  if (wallet.funding !== 'done') await ports.wallets.setFunding(walletId, 'done')
}
