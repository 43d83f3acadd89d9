import type { Execution } from '../ports/trades.ts'
import { isAwaiting } from '../sending/execution-state.ts'

/** How long a trade waits for the account. */
export const confirmMs = 600_000

/** Why a trade is discarded that was not confirmed in time. */
export const notConfirmed = 'It was not confirmed within ten minutes.'

/** When a trade that waits is discarded. */
export function confirmUntil({ updatedAt }: Pick<Execution, 'updatedAt'>): Date {
  return new Date(updatedAt.getTime() + confirmMs)
}

/** True of a trade that waited too long. */
export function isOverdue(execution: Pick<Execution, 'state' | 'updatedAt'>, now: Date): boolean {
  return isAwaiting(execution.state) && confirmUntil(execution) <= now
}
