import type { ExecutionState } from '../ports/trades.ts'

/** A stored state, or `rejected`: refused before a nonce was reserved, which leaves no record and gives the key back. */
export type TradeState = ExecutionState | 'rejected'

/** Every legal move of a real trade. What is not here cannot happen; a crash leaves one of these states behind. */
const moves: Readonly<Record<TradeState, readonly TradeState[]>> = {
  requested: ['simulated', 'rejected'],
  simulated: ['reserved', 'rejected'],
  reserved: ['signed', 'failed'],
  signed: ['broadcast', 'included', 'failed'],
  broadcast: ['included', 'failed'],
  included: [],
  failed: [],
  rejected: [],
}

const order = ['requested', 'simulated', 'reserved', 'signed', 'broadcast'] as const

export function canMove(from: TradeState, to: TradeState): boolean {
  return moves[from].includes(to)
}

/** The stored states from which the state can be reached in one move. */
export function sourcesOf(to: ExecutionState): ExecutionState[] {
  return order.filter((from) => canMove(from, to))
}

/** True where nothing follows any more. */
export function isFinal(state: TradeState): boolean {
  return moves[state].length === 0
}

/** How far the trade has come, from 1 (requested) to 6 (included or failed); numbers the events of a watch. */
export function stepOf(state: ExecutionState): number {
  return state === 'included' || state === 'failed' ? order.length + 1 : order.indexOf(state) + 1
}
