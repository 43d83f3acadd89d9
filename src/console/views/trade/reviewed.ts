import { signal } from '@preact/signals'
import type { Quote, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { type Failure, failureOf } from '../../gateway/failures.ts'
import { note } from '../../state/account.ts'
import type { Order } from './order.ts'

/** A simulated order: its quote, what the simulation says, and the key by which a confirmation trades once. */
export type Simulated = { order: Order; quote: Quote; result: TradingExecuteOutput; key: string }

/**
 * Where a simulated order stands. `unsure`: the answer to its confirmation was lost, so it may have been traded; until the
 * same key is answered, nothing else may be traded in its place.
 */
export type Reviewed = Simulated & {
  stage: 'open' | 'trading' | 'unsure' | 'answered'
  failure: Failure | null
  outcome: TradingExecuteOutput | null
}

/** The order under review; it stays while other pages are shown. */
export const reviewed = signal<Reviewed | null>(null)

/** True while another order could trade the same twice. */
export function isUndecided(): boolean {
  return reviewed.value?.stage === 'trading' || reviewed.value?.stage === 'unsure'
}

/** Takes a quote of an order and simulates it. */
export async function review(order: Order): Promise<void> {
  if (isUndecided()) return
  reviewed.value = null
  const quote = await gateway.trading.quote.mutate(order)
  const input = { ...order.input, simulate_only: true }
  const result = await gateway.trading.execute.mutate({ input, wallet_ref: order.wallet_ref, quote_id: quote.quote_id })
  reviewed.value = { order, quote, result, key: newKey(), stage: 'open', failure: null, outcome: null }
}

/** Trades the order under review. Called again after a lost answer, it sends the same key, which never trades twice. */
export async function confirmReviewed(): Promise<void> {
  const confirmed = reviewed.value
  if (confirmed === null || confirmed.stage === 'trading') return
  const { order, quote, key } = confirmed
  const set = (change: Partial<Reviewed>) => {
    if (reviewed.value?.key === key) reviewed.value = { ...reviewed.value, ...change }
  }
  set({ stage: 'trading', failure: null })
  try {
    const input = { ...order.input, simulate_only: false }
    const named = { wallet_ref: order.wallet_ref, quote_id: quote.quote_id, idempotency_key: key }
    const outcome = await gateway.trading.execute.mutate({ input, confirm: true, ...named })
    set({ stage: 'answered', outcome })
    // The stream brings it too, where it is not cut.
    const { execution_id } = outcome
    if (execution_id !== undefined) note(await gateway.trading.getExecution.query({ execution_id }))
  } catch (error) {
    const failure = failureOf(error)
    if (reviewed.value?.stage === 'answered') return
    set({ stage: lost.includes(failure.code) ? 'unsure' : 'open', failure })
  }
}

/** Codes after which a trade may have been made. */
const lost: readonly Failure['code'][] = ['UNREACHABLE', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'CANCELLED']

/** Forgets the order of a session that has ended. */
export function forgetReviewed(): void {
  reviewed.value = null
}

/** A key that cannot be guessed. crypto.randomUUID is missing on plain http except on this machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
