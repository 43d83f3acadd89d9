import { DomainError } from '../core/errors.ts'
import type { Chain, Fees, TransactionCall } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Attempt, Outgoing, OutgoingChange } from '../ports/outbox.ts'
import { isMined, moveOf } from './execution-state.ts'

type Needs = Pick<Ports, 'outbox' | 'signer'>

/** Blocks that an attempt may stay out of before it is sent again with a higher fee. */
const patienceBlocks = 3n

/** No attempt offers more than so many times what the first one offered. */
const feeCeiling = 10n

/** Signs the next attempt of a transaction and stores it; nothing is offered. A key that cannot be used is answered in words. */
export async function signNext(
  ports: Needs,
  chain: Chain,
  leg: Outgoing,
  legs: readonly Outgoing[],
  purpose: Attempt['purpose'],
): Promise<Outgoing | { unusable: string }> {
  const { nonce, from, chainId } = leg
  if (nonce === null) throw new Error(`Transaction ${leg.id} has no nonce to sign.`)
  const last = leg.attempts.at(-1)
  const market = await chain.fees()
  const fees = last === undefined ? market : raised(last.fees, market, ceilingOf(leg))
  const what = purpose === 'cancel' ? await fillingOf(chain, leg, legs) : leg
  const signed = await ports.signer.sign(from, { ...what.call, ...fees, gas: what.gas, nonce, chainId }).catch(unusable)
  if ('unusable' in signed) return signed
  const attempt = { purpose, ...signed, fees, offeredAt: null }
  const move = leg.state === 'reserved' ? moveOf('reserved', 'signed') : moveOf(leg.state, 'replaced')
  return await changed(ports, leg, { move, attempt, uncancellable: null })
}

function unusable(failure: unknown): { unusable: string } {
  if (failure instanceof DomainError && failure.code === 'FAILED_PRECONDITION') return { unusable: failure.message }
  throw failure
}

/** Writes a change; where another process was first, its version counts and this round is over: UNAVAILABLE. */
export async function changed(ports: Pick<Ports, 'outbox'>, leg: Outgoing, change: OutgoingChange): Promise<Outgoing> {
  const written = await ports.outbox.change(leg, change)
  if (written === null) throw new DomainError('UNAVAILABLE', 'Another process is sending this transaction.')
  return written
}

/**
 * Fees that replace an attempt at every node: an eighth more on both at least, and what the chain asks now as far as the
 * ceiling lets it.
 */
export function raised(last: Fees, market: Fees, ceiling: bigint): Fees {
  const more = (fee: bigint) => (fee * 9n) / 8n + 1n
  const larger = (a: bigint, b: bigint) => (a > b ? a : b)
  const within = (fee: bigint) => (fee < ceiling ? fee : ceiling)
  const maxFeePerGas = larger(more(last.maxFeePerGas), within(market.maxFeePerGas))
  const tip = larger(more(last.maxPriorityFeePerGas), within(market.maxPriorityFeePerGas))
  return { maxFeePerGas: larger(maxFeePerGas, tip), maxPriorityFeePerGas: tip }
}

function ceilingOf({ attempts }: Outgoing): bigint {
  // What was signed before fees were kept has none.
  const first = attempts.find(({ fees }) => fees.maxFeePerGas > 0n)
  return first === undefined ? 2n ** 256n : first.fees.maxFeePerGas * feeCeiling
}

/** An attempt that a node has stays out of blocks, and a dearer one is still allowed. */
export function isStuck({ attempts }: Outgoing, head: bigint): boolean {
  const offeredAt = attempts.at(-1)?.offeredAt ?? null
  return offeredAt !== null && head - offeredAt >= patienceBlocks
}

export function mayRaise(leg: Outgoing): boolean {
  const last = leg.attempts.at(-1)
  return last !== undefined && (last.fees.maxFeePerGas * 9n) / 8n < ceilingOf(leg)
}

/**
 * What uses a nonce up that was given up: in place of a swap whose approval stands or may come to stand, the approval is
 * taken back; else nothing is done.
 */
async function fillingOf(
  chain: Chain,
  leg: Outgoing,
  legs: readonly Outgoing[],
): Promise<{ call: TransactionCall; gas: bigint }> {
  const approval = legs.find((one) => one.kind === 'approve' && one.state !== 'failed' && one.outcome !== 'cancelled')
  if (leg.kind === 'swap' && approval !== undefined) return { call: chain.revocation(approval.call), gas: approval.gas }
  return { call: { to: leg.from, data: '0x', value: 0n }, gas: await chain.emptyGas(leg.from) }
}

/** An approval of the trade that a mined swap did not use, and that no filling has taken back. */
export function standingApproval(legs: readonly Outgoing[]): Outgoing | null {
  const swap = legs.find(({ kind }) => kind === 'swap')
  if (swap === undefined || (isMined(swap.state) && swap.outcome !== 'reverted')) return null
  return legs.findLast(({ kind, outcome }) => kind === 'approve' && outcome === 'success') ?? null
}
