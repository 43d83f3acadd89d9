import type { Tier } from '../../contract/shared/limits.ts'
import { type ReconcileNeeds, reconcile } from '../books/reconcile.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { FaucetClaim, FaucetSettings } from '../ports/faucet.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing, ReferenceOf } from '../ports/outbox.ts'
import { isFinal } from '../sending/execution-state.ts'
import { paymentDeadline } from './treasury.ts'

/** Enough for a recipient with code that runs when it receives money. */
const gas = 60_000n

/** The reference of a claim's transaction in the outbox. */
export function referenceOf({ id }: Pick<FaucetClaim, 'id'>): ReferenceOf<'faucet'> {
  return { kind: 'faucet', id }
}

/** By how much a key with terms of its own may claim more often than a client address. */
const claimsOfKey = 10

/** The faucet's settings for callers of a tier. One with terms of its own is counted by key, not by client address. */
export function settingsOf(settings: FaucetSettings, tier: Tier): FaucetSettings & { counts: 'address' | 'key' } {
  const own = settings.tiers[tier]
  const { perCaller } = settings
  if (own === undefined) return { ...settings, counts: 'address' }
  const ofKey = perCaller === null ? null : { ...perCaller, claims: perCaller.claims * claimsOfKey }
  return { ...settings, ...own, perCaller: ofKey, counts: 'key' }
}

/** When the address of a claim may claim again on the same terms, by any caller. */
export function nextClaimTime({ createdAt, cooldownMs }: FaucetClaim): string {
  return new Date(createdAt.getTime() + cooldownMs).toISOString()
}

type PayNeeds = Pick<Ports, 'chains' | 'faucetClaims' | 'sender'>

/** Passes a claim to the sender, which pays it once even if called again. Rejects where the chain does not respond. */
export async function payClaim(ports: PayNeeds, treasury: Hex, claim: FaucetClaim): Promise<Outgoing | null> {
  const call = { to: claim.address, data: '0x', value: claim.amount } as const
  const legs = [{ kind: 'faucet', call, gas }] as const
  const reference = referenceOf(claim)
  const chain = ports.chains.default
  const deadline = await paymentDeadline(chain)
  const [sent] = await ports.sender.send({ chain, from: treasury, reference, legs, deadline })
  await ports.faucetClaims.markSent(claim.id)
  return sent ?? null
}

/**
 * Pays the claims that have no transaction yet, because the chain did not respond or the process ended. A failure is
 * reported to `failed` and does not delay the other claims.
 */
export async function payQueued(
  ports: PayNeeds & Pick<Ports, 'signer'>,
  failed: (failure: unknown) => void,
): Promise<void> {
  const { treasury } = ports.signer
  if (treasury === null) return
  for (const claim of await ports.faucetClaims.queued(ports.chains.default.info.id))
    await payClaim(ports, treasury, claim).catch(failed)
}

/**
 * Updates a claim from its transactions. Once they are final and nothing was paid, the address may claim again. A payment
 * to a wallet of the gateway is booked at once.
 */
export async function followClaim(
  ports: Pick<Ports, ReconcileNeeds | 'faucetClaims'>,
  chain: Chain,
  { id }: ReferenceOf<'faucet'>,
  transactions: readonly Outgoing[],
): Promise<void> {
  const paid = transactions.every(({ outcome }) => outcome === 'success')
  if (transactions.every(({ state }) => isFinal(state)))
    await ports.faucetClaims.end(id, { paid, hash: transactions[0]?.hash ?? null })
  if (!paid) return
  const claim = await ports.faucetClaims.find(id)
  const wallet = claim === null ? null : await ports.wallets.findByAddress(claim.address)
  if (claim === null || wallet === null) return
  await reconcile(ports, chain, wallet.userId)
}
