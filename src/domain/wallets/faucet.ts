import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Call, Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { Captcha, ClaimRefusal, ClaimState, FaucetClaim } from '../ports/faucet.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { requireChecksum } from '../values/tokens.ts'
import { nextClaimTime, payClaim, referenceOf, settingsOf } from './faucet-payments.ts'

type Claiming = typeof contract.chain.claimFaucet
type Needs =
  | 'captcha'
  | 'chains'
  | 'clock'
  | 'faucetClaims'
  | 'faucetSettings'
  | 'hashing'
  | 'ids'
  | 'outbox'
  | 'sender'
  | 'signer'

/** Pays an address once per cooldown. Refusals carry `next_claim_time`, from which REST builds its own refusal shape. */
export const claimFaucet: Handler<Claiming, Needs> = async (ports, input, call) => {
  const { treasury } = ports.signer
  const settings = settingsOf(ports.faucetSettings, call.tier)
  if (treasury === null)
    throw call.fail('UNAVAILABLE', 'The faucet is off. Ask the operator for testnet currency.', {
      retryAfterSeconds: null,
    })
  const now = ports.clock.now()
  requireChecksum(input.address, 'address')
  const address = input.address as Hex // the contract's pattern has checked it
  const chainId = ports.chains.default.info.id
  const { amount, cooldownMs } = settings
  const claim = { id: ports.ids.uuid(), chainId, address, amount, cooldownMs, createdAt: now }
  const caller = settings.counts === 'key' ? call.keyOrAddress : call.clientAddress
  const callerKey = ports.hashing.sha256(`faucet ${caller}`)
  if (ports.captcha !== null) {
    // A captcha answer is valid once, so a caller who must wait anyway is refused before the answer is used up. A wrong
    // captcha is refused before the claim starts, so that the caller can try again at once.
    const refusal = await ports.faucetClaims.check(claim, callerKey, settings)
    if (refusal !== null) throw refused(call, refusal, now)
    await checkHuman(ports.captcha, input.captcha, call.clientAddress)
  }
  const refusal = await ports.faucetClaims.begin(claim, callerKey, settings)
  if (refusal !== null) throw refused(call, refusal, now)
  return await pay(ports, treasury, claim, call)
}

async function checkHuman(captcha: Captcha, answer: string | undefined, clientAddress: string): Promise<void> {
  if (answer === undefined || answer === '')
    throw invalid('captcha', 'is required: solve the captcha of the faucet and send its answer', 'required')
  if (!(await captcha.verify(answer, clientAddress)))
    throw invalid('captcha', 'is wrong, used or expired: solve a new captcha and send its answer', 'wrong_captcha')
}

/**
 * Starts the payment and waits a short time for its transaction. The claim is paid even if this call ends before, unless
 * the chain refuses the payment.
 */
async function pay(ports: Pick<Ports, Needs>, treasury: Hex, claim: FaucetClaim, call: Call<Claiming>) {
  const paid = payClaim(ports, treasury, claim).catch(async (failure: unknown) => {
    call.reportFailure(failure)
    const [stored] = await ports.outbox.byReference(referenceOf(claim)).catch(() => [])
    return stored ?? null
  })
  const limit = ports.clock.limit(ports.faucetSettings.waitMs)
  const late = new Promise<null>((resolve) => limit.addEventListener('abort', () => resolve(null), { once: true }))
  const sent = await Promise.race([paid, late])
  if (sent?.state === 'failed' || (sent?.outcome ?? 'success') !== 'success') {
    // A payment that was mined and failed counts as a claim until its block is final.
    const next = sent?.state === 'failed' ? ports.clock.now().toISOString() : nextClaimTime(claim)
    throw call.fail('UNAVAILABLE', 'The payment failed, and nothing was paid. Claim again later.', {
      metadata: { next_claim_time: next, claim_id: claim.id },
    })
  }
  return {
    success: true,
    txHash: sent?.hash ?? '',
    amount: claim.amount.toString(),
    nextClaimTime: nextClaimTime(claim),
    claimId: claim.id,
    status:
      sent?.hash == null
        ? ('queued' as const)
        : sent.outcome === 'success'
          ? ('success' as const)
          : ('pending' as const),
  }
}

const reasons = {
  address: 'This address has already claimed',
  caller: 'Too many claims came from your network',
  cap: 'The faucet has paid its limit for today',
} as const

function refused(call: Call<Claiming>, { limit, until }: ClaimRefusal, now: Date) {
  const next = until.toISOString()
  return call.fail('RATE_LIMITED', `${reasons[limit]}. Claim again at ${next} or later.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)),
    metadata: { next_claim_time: next, limit },
  })
}

type StatusNeeds = 'faucetClaims' | 'outbox'

/** The state of a payment of the faucet, found by its transaction hash or by the claim id. */
export const faucetClaim: Handler<typeof contract.chain.faucetClaim, StatusNeeds> = async (ports, input, call) => {
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

async function claimOf({ faucetClaims, outbox }: Pick<Ports, StatusNeeds>, name: string) {
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
