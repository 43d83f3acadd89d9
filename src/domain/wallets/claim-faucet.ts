import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Call, Handler } from '../core/handler.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Hex } from '../ports/chains.ts'
import type { Captcha, ClaimRefusal, FaucetClaim } from '../ports/faucet.ts'
import type { Ports } from '../ports/index.ts'
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

/** Pays an address once in a while. Refusals carry `next_claim_time` for protocols with a shape of their own for them. */
export const claimFaucet: Handler<Claiming, Needs> = async (ports, input, call) => {
  const { treasury } = ports.signer
  const settings = settingsOf(ports.faucetSettings, call.tier)
  if (treasury === null)
    throw call.fail('UNAVAILABLE', 'The faucet is off here; ask the operator for testnet currency.', {
      retryAfterSeconds: null,
    })
  const now = ports.clock.now()
  const address = input.address as Hex // the contract's pattern has checked it
  const chainId = ports.chains.default.info.id
  const { amount, cooldownMs } = settings
  const claim = { id: ports.ids.uuid(), chainId, address, amount, cooldownMs, createdAt: now }
  const callerKey = ports.hashing.sha256(`faucet ${call.clientAddress}`)
  if (ports.captcha !== null) {
    // Who has to wait anyway keeps the captcha's answer, which is good once; and who has not may try again at once.
    const refusal = await ports.faucetClaims.check(claim, callerKey, settings)
    if (refusal !== null) throw refused(call, refusal, now)
    await checkHuman(ports.captcha, input.captcha, call.clientAddress)
  }
  const refusal = await ports.faucetClaims.begin(claim, callerKey, settings)
  if (refusal !== null) throw refused(call, refusal, now)
  return await answerOf(ports, treasury, claim, call)
}

async function checkHuman(captcha: Captcha, answer: string | undefined, clientAddress: string): Promise<void> {
  if (answer === undefined || answer === '')
    throw invalid('captcha', 'is needed: solve the captcha of the faucet and send its answer', 'required')
  if (!(await captcha.verify(answer, clientAddress)))
    throw invalid('captcha', 'is wrong, used or too old: solve a new one and send its answer', 'wrong_captcha')
}

/** From here on the claim is paid whatever happens to this call, save where the chain itself refuses the payment. */
async function answerOf(ports: Pick<Ports, Needs>, treasury: Hex, claim: FaucetClaim, call: Call<Claiming>) {
  const paid = payClaim(ports, treasury, claim).catch(async () => {
    const [stored] = await ports.outbox.byReference(referenceOf(claim)).catch(() => [])
    return stored ?? null
  })
  const patience = timeLimit(ports.faucetSettings.waitMs)
  const late = new Promise<null>((resolve) => patience.addEventListener('abort', () => resolve(null), { once: true }))
  const sent = await Promise.race([paid, late])
  if (sent?.state === 'failed' || (sent?.outcome ?? 'success') !== 'success') {
    // One that a block refused counts until that block is final.
    const next = sent?.state === 'failed' ? ports.clock.now().toISOString() : nextClaimTime(claim)
    throw call.fail('UNAVAILABLE', 'The payment could not be made, and nothing was paid; claim again later.', {
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
  cap: 'The faucet has paid all it may today',
} as const

function refused(call: Call<Claiming>, { limit, until }: ClaimRefusal, now: Date) {
  const next = until.toISOString()
  return call.fail('RATE_LIMITED', `${reasons[limit]}; claim again at ${next} or later.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)),
    metadata: { next_claim_time: next, limit },
  })
}
