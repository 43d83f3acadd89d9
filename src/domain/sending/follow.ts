import { bookGas } from '../books/book-fill.ts'
import { type ReconcileNeeds, reconcile } from '../books/reconcile.ts'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { followFunding } from '../wallets/funding.ts'
import { isFinal, isMined } from './execution-state.ts'
import { followTrade } from './follow-trade.ts'

type Needs = Pick<Ports, ReconcileNeeds | 'executions' | 'faucetClaims' | 'grants'>

/**
 * Tells whoever a reference belongs to how far its transactions are, and closes it once their blocks are final and all
 * is booked. May be repeated: each part of it is done once. What an operator should know is told to `log`.
 */
export async function follow(
  ports: Needs,
  chain: Chain,
  reference: string,
  legs: readonly Outgoing[],
  log: (event: Error) => void,
): Promise<void> {
  const [kind, id] = reference.split(':')
  if (kind === 'wallet') await followFunding(ports, chain, Number(id), { reference, legs }, log)
  else if (kind === 'faucet') await followClaim(ports, chain, String(id), legs)
  else if (kind === 'gap' || kind === 'revoke') await followGas(ports, chain, reference, legs)
  else await followTrade(ports, chain, reference, legs)
  await ports.outbox.markTold(legs, isOver(legs) ? ports.clock.now() : null)
}

/** Nothing can become of them any more but what has. */
function isOver(legs: readonly Outgoing[]): boolean {
  return legs.every(({ state }) => isFinal(state))
}

/**
 * A payment that can come to pass no more can be claimed again, which one that a block refused can only once that block is
 * final; one to a wallet of ours is found there.
 */
async function followClaim(ports: Needs, chain: Chain, claimId: string, legs: readonly Outgoing[]): Promise<void> {
  const paid = legs.every(({ outcome }) => outcome === 'success')
  if (isOver(legs)) await ports.faucetClaims.end(claimId, { paid, hash: legs[0]?.hash ?? null })
  if (!paid) return
  const claim = await ports.faucetClaims.find(claimId)
  const wallet = claim === null ? null : await ports.wallets.findByAddress(claim.address)
  if (claim === null || wallet === null) return
  await reconcile(ports, { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id })
}

/** What a wallet of ours paid for a transaction that moves nothing. */
async function followGas(ports: Needs, chain: Chain, reference: string, legs: readonly Outgoing[]): Promise<void> {
  const [leg] = legs
  if (leg?.hash == null || !isMined(leg.state)) return void (await ports.ledger.unbook(reference))
  const wallet = await ports.wallets.findByAddress(leg.from)
  if (wallet === null) return
  const receipt = await chain.receipt(leg.hash)
  if (receipt === null) return
  // Another block than the one that was booked may have asked another price.
  const booked = await ports.ledger.entries(reference)
  const same = booked.some(({ account, quantity }) => account === 'gas' && quantity === receipt.feeWei)
  if (booked.length > 0 && !same) await ports.ledger.unbook(reference)
  const place = { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id }
  await bookGas(ports, chain, reference, place, receipt.feeWei)
}
