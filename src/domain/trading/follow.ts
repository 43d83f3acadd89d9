import type { Chain } from '../ports/chains.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Ports } from '../ports.ts'
import { isDone } from './advance.ts'
import { followTrade } from './follow-trade.ts'
import { followFunding } from './funding.ts'
import { type ReconcileNeeds, reconcile } from './reconcile.ts'

type Needs = Pick<Ports, ReconcileNeeds | 'executions' | 'faucetClaims' | 'grants' | 'wallets'>

/**
 * Tells whoever a reference belongs to how far its transactions are, and closes it once all are done and booked. May be
 * repeated: each part of it is done once.
 */
export async function follow(ports: Needs, chain: Chain, reference: string, legs: readonly Outgoing[]): Promise<void> {
  const [kind, id] = reference.split(':')
  if (kind === 'wallet') await followFunding(ports, chain, Number(id), legs)
  else if (kind === 'faucet') await followClaim(ports, chain, String(id), legs)
  else if (kind !== 'gap') await followTrade(ports, chain, reference, legs)
  if (legs.every(isDone)) await ports.outbox.markSettled(reference)
}

/** A payment that did not come to pass can be claimed again; one to a wallet of ours is found there. */
async function followClaim(ports: Needs, chain: Chain, claimId: string, legs: readonly Outgoing[]): Promise<void> {
  if (!legs.every(isDone)) return
  if (!legs.every(({ state }) => state === 'included')) return await ports.faucetClaims.release(claimId)
  const claim = await ports.faucetClaims.find(claimId)
  const wallet = claim === null ? null : await ports.wallets.findByAddress(claim.address)
  if (claim === null || wallet === null) return
  await reconcile(ports, { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id })
}
