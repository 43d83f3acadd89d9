import type { DomainError, Fail } from '../core/errors.ts'
import type { Grant } from '../ports/accounts.ts'
import type { Execution } from '../ports/trades.ts'
import { isAwaiting } from '../sending/execution-state.ts'

/** How long a trade waits for the account. */
export const confirmMs = 600_000

/** Why a trade is discarded that was not confirmed in time. */
export const notConfirmed = 'It was not confirmed within ten minutes.'

/** The refusal of an id that is none of the account's. */
export function noExecution(fail: Fail<'NOT_FOUND'>): DomainError {
  return fail('NOT_FOUND', 'You have no such execution; list yours to find its id.')
}

/** When a trade that waits is discarded. */
export function confirmUntil({ updatedAt }: Pick<Execution, 'updatedAt'>): Date {
  return new Date(updatedAt.getTime() + confirmMs)
}

/**
 * Whether the account has to confirm a trade: where the request wants that, above the threshold of the session, and
 * wherever its worth is not known.
 */
export function mustBeConfirmed(
  request: { await_confirmation?: boolean | undefined },
  grant: Grant | null,
  valueUsd: bigint | null,
): boolean {
  if (request.await_confirmation === true) return true
  const above = grant?.confirmAboveUsd ?? null
  return above !== null && (above === 0n || valueUsd === null || valueUsd > above)
}

/** True of a trade that waited too long. */
export function isOverdue(execution: Pick<Execution, 'state' | 'updatedAt'>, now: Date): boolean {
  return isAwaiting(execution.state) && confirmUntil(execution) <= now
}
