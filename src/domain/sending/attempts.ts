import { DomainError, RepeatLater } from '../core/errors.ts'
import type { Chain, Fees, TransactionCall } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Attempt, Outgoing, OutgoingChange, TransactionChange } from '../ports/outbox.ts'
import { feeRefusal, feesWithin, gwei } from '../values/fees.ts'
import { isMined, moveOf } from './execution-state.ts'

/** Blocks after a broadcast until the transaction is stuck and its fee is raised. */
export const stuckBlocks = 3n

/** Market fees raise an attempt to at most this multiple of the first attempt's fee. */
const feeCeiling = 10n

/**
 * Signs the next attempt, and returns what must be stored before it is broadcast (W2), or the reason when the key cannot
 * be used, or the attempt would pay more than `most` wei for a unit of gas; null is no limit.
 */
export async function signNext(
  signer: Ports['signer'],
  chain: Chain,
  leg: Outgoing,
  legs: readonly Outgoing[],
  purpose: Attempt['purpose'],
  most: bigint | null,
): Promise<TransactionChange | { unusable: string }> {
  const { nonce, from, chainId } = leg
  if (nonce === null) throw new Error(`Transaction ${leg.id} has no nonce to sign.`)
  const fees = nextFees(leg, await chain.fees(), most)
  if ('unusable' in fees) return fees
  const what = purpose === 'cancel' ? await cancellationOf(chain, leg, legs) : leg
  const signed = await signer.sign(from, { ...what.call, ...fees, gas: what.gas, nonce, chainId }).catch(unusable)
  if ('unusable' in signed) return signed
  const attempt = { purpose, ...signed, fees, offeredAt: null }
  const move = leg.state === 'reserved' ? moveOf('reserved', 'signed') : moveOf(leg.state, 'replaced')
  return { transaction: leg, change: { move, attempt, uncancellable: null } }
}

function nextFees(leg: Outgoing, market: Fees, most: bigint | null): Fees | { unusable: string } {
  const last = leg.attempts.at(-1)
  if (last === undefined) {
    const refusal = feeRefusal(market, most)
    return refusal === null ? feesWithin(market, most) : { unusable: refusal }
  }
  const fees = raised(last.fees, market, ceilingOf(leg, most))
  if (most === null || fees.maxFeePerGas <= most) return fees
  const why = `it would offer ${gwei(fees.maxFeePerGas)} gwei for each unit of gas, and this gateway pays at most ${gwei(most)} (MAX_FEE_GWEI).`
  return { unusable: `No other transaction can replace it: ${why}` }
}

function unusable(failure: unknown): { unusable: string } {
  if (failure instanceof DomainError && failure.code === 'FAILED_PRECONDITION') return { unusable: failure.message }
  throw failure
}

/** Stores a change to the version that was read (T2). Throws `RepeatLater` when another process was first. */
export async function applyChange(
  ports: Pick<Ports, 'outbox'>,
  leg: Outgoing,
  change: OutgoingChange,
): Promise<Outgoing> {
  const [changed = leg] = await applyChanges(ports, [{ transaction: leg, change }])
  return changed
}

/** Stores changes to transactions, all or none of them (T2). */
export async function applyChanges(
  ports: Pick<Ports, 'outbox'>,
  changes: readonly TransactionChange[],
): Promise<Outgoing[]> {
  const written = await ports.outbox.change(changes)
  if (written === null) throw new RepeatLater('Another process changed this transaction first.')
  return written
}

/**
 * Fees that replace an attempt at every node: each at least an eighth higher, and the present market fee up to the
 * ceiling. A legacy transaction stays one, also where the chain has got base fees since.
 */
export function raised(last: Fees, market: Fees, ceiling: bigint): Fees {
  const more = (fee: bigint) => (fee * 9n) / 8n + 1n
  const larger = (a: bigint, b: bigint) => (a > b ? a : b)
  const within = (fee: bigint) => (fee < ceiling ? fee : ceiling)
  const maxFeePerGas = larger(more(last.maxFeePerGas), within(market.maxFeePerGas))
  if (last.maxPriorityFeePerGas === null || market.maxPriorityFeePerGas === null)
    return { maxFeePerGas, maxPriorityFeePerGas: null }
  const tip = larger(more(last.maxPriorityFeePerGas), within(market.maxPriorityFeePerGas))
  return { maxFeePerGas: larger(maxFeePerGas, tip), maxPriorityFeePerGas: tip }
}

function ceilingOf({ attempts }: Outgoing, most: bigint | null): bigint {
  // Attempts from before fees were stored have none.
  const first = attempts.find(({ fees }) => fees.maxFeePerGas > 0n)
  const ceiling = first === undefined ? 2n ** 256n : first.fees.maxFeePerGas * feeCeiling
  return most === null || ceiling < most ? ceiling : most
}

/** True when the newest attempt was broadcast `stuckBlocks` ago and is not mined. */
export function isStuck({ attempts }: Outgoing, head: bigint): boolean {
  const offeredAt = attempts.at(-1)?.offeredAt ?? null
  return offeredAt !== null && head - offeredAt >= stuckBlocks
}

/** Whether a next attempt stays within ten times the first one's fee, and `most` wei for a unit of gas. */
export function mayRaise(leg: Outgoing, most: bigint | null): boolean {
  const last = leg.attempts.at(-1)
  return last !== undefined && (last.fees.maxFeePerGas * 9n) / 8n < ceilingOf(leg, most)
}

/**
 * The call that cancels an abandoned nonce: the revocation of the approval in place of a swap whose approval is or may be
 * granted, otherwise an empty call.
 */
async function cancellationOf(
  chain: Chain,
  leg: Outgoing,
  legs: readonly Outgoing[],
): Promise<{ call: TransactionCall; gas: bigint }> {
  const approval = legs.find((one) => one.kind === 'approve' && one.state !== 'failed' && one.outcome !== 'cancelled')
  if (leg.kind === 'swap' && approval !== undefined) return { call: chain.revocation(approval.call), gas: approval.gas }
  return { call: { to: leg.from, data: '0x', value: 0n }, gas: await chain.emptyGas(leg.from) }
}

/** An approval of the trade that no mined swap has used and no cancellation has revoked. */
export function standingApproval(legs: readonly Outgoing[]): Outgoing | null {
  const swap = legs.find(({ kind }) => kind === 'swap')
  if (swap === undefined || (isMined(swap.state) && swap.outcome !== 'reverted')) return null
  return legs.findLast(({ kind, outcome }) => kind === 'approve' && outcome === 'success') ?? null
}
