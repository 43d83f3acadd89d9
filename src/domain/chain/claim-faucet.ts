import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import type { Hex } from '../ports/chains.ts'
import { dayMs, nextClaimTime } from './faucet-rules.ts'

type Needs = 'chains' | 'clock' | 'faucetClaims' | 'ids' | 'sender' | 'signer'

const amount = 10n * 10n ** 18n
/** Room for an address with code that takes money. */
const gas = 60_000n
/** Most payments to all addresses in a day: what leaves the treasury is bounded whoever asks. */
const paymentsADay = 10_000

/** Pays an address once in 24 hours. Refusals carry `next_claim_time` for protocols with a shape of their own for them. */
export const claimFaucet: Handler<typeof contract.chain.claimFaucet, Needs> = async (ports, input, call) => {
  const chain = ports.chains.default
  const { treasury } = ports.signer
  if (treasury === null) throw call.fail('UNAVAILABLE', 'There is no faucet on this chain.')
  const address = input.address as Hex // the contract's pattern has checked it
  const now = ports.clock.now()
  const claim = { id: ports.ids.uuid(), address, amount, createdAt: now }
  const begun = await ports.faucetClaims.begin(claim, new Date(now.getTime() - dayMs), paymentsADay)
  if (!begun.claimed) {
    const next = nextClaimTime(begun.last === 'cap' ? now : begun.last.createdAt)
    const why =
      begun.last === 'cap' ? 'The faucet has paid all it may today' : 'This address was paid less than 24 hours ago'
    throw call.fail('RATE_LIMITED', `${why}; claim again at ${next} or later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil((Date.parse(next) - now.getTime()) / 1_000)),
      metadata: { next_claim_time: next },
    })
  }
  const legs = [{ kind: 'faucet', call: { to: address, data: '0x', value: amount }, gas }] as const
  const reference = `faucet:${claim.id}`
  const [sent] = await ports.sender.send({ chain, from: treasury, reference, legs }).catch(async (failure: unknown) => {
    await ports.faucetClaims.release(claim.id)
    throw failure
  })
  if (sent?.hash == null || sent.state === 'failed') {
    throw call.fail('UNAVAILABLE', 'The payment could not be sent now; look at the address before you claim again.')
  }
  return { success: true, txHash: sent.hash, amount: amount.toString(), nextClaimTime: nextClaimTime(now) }
}
