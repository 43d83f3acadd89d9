import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { ClaimState } from '../ports/faucet.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { nextClaimTime, referenceOf } from './faucet-payments.ts'

type Needs = 'faucetClaims' | 'outbox'

/** The state of a payment of the faucet, found by its transaction hash or by the claim id. */
export const faucetClaim: Handler<typeof contract.chain.faucetClaim, Needs> = async (ports, input, call) => {
  const claim = await claimOf(ports, input.tx_hash.toLowerCase())
  if (claim === null)
    throw call.fail('NOT_FOUND', 'The faucet has no such payment. Use the claimId that the claim returned.')
  const [sent] = await ports.outbox.byReference(referenceOf(claim))
  const status = statusOf(claim.state, sent)
  return {
    txHash: sent?.hash ?? claim.hash ?? '',
    claimId: claim.id,
    status,
    address: claim.address,
    amount: claim.amount.toString(),
    createdAt: claim.createdAt.toISOString(),
    ...(status === 'failed' ? { error: whyFailed(claim.state, sent) } : {}),
    ...(claim.state === 'failed' ? {} : { nextClaimTime: nextClaimTime(claim) }),
  }
}

async function claimOf({ faucetClaims, outbox }: Pick<Ports, Needs>, name: string) {
  if (!name.startsWith('0x')) return await faucetClaims.find(name)
  const hash = name as Hex // the contract's pattern has checked it
  const reference = (await outbox.byHash(hash))?.reference
  // The outbox knows every attempt of a payment, but deletes them some time after its end.
  return reference?.kind === 'faucet' ? await faucetClaims.find(reference.id) : await faucetClaims.findByHash(hash)
}

function whyFailed(claim: ClaimState, sent: Outgoing | undefined): string {
  const again =
    claim === 'failed' ? 'The address may claim again now.' : 'The address may claim again once the failure is final.'
  return `${sent?.error ?? 'The address rejected the payment.'} ${again}`
}

function statusOf(claim: ClaimState, sent: Outgoing | undefined): 'queued' | 'pending' | 'success' | 'failed' {
  if (sent?.outcome != null) return sent.outcome === 'success' ? 'success' : 'failed'
  if (claim === 'sent' && sent === undefined) return 'success' // its transaction was deleted after the retention time
  if (claim === 'failed' || sent?.state === 'failed') return 'failed'
  return sent?.hash == null ? 'queued' : 'pending'
}
