import type { DomainError } from '../../../domain/core/errors.ts'
import { isMissingBlock, rateLimitOf, TimeoutError } from '../errors/failures.ts'
import { newestShown } from './newest-shown.ts'
import { createPace, type Pace } from './pace.ts'
import { createRests, type Rests } from './rests.ts'

/** What the calls of one node have shown of it. */
export type CallRecord = {
  rests: Rests
  pace: Pace
  answered(call: { method: string; params: readonly unknown[]; result: unknown; ms: number }): void
  /** Notes the failure of a call that began at `began`, a time of `performance.now()`. */
  failed(method: string, began: number, failure: DomainError): void
  /** Whether the node said a while ago at most that it does not serve the method. */
  lacks(method: string): boolean
  /** What the method takes on average, in milliseconds; 0 before its first answer. */
  usualMs(method: string): number
  /** How long its last answer took; null before the first one. */
  latencyMs(): number | null
  /** Number of the newest block that an answer has shown; -1 before the first one. */
  shown(): bigint
  /** Notes the height that a check has shown, which is lower where the node went back, or had said something wrong. */
  checked(height: bigint): void
}

/** For how long a node is not asked again for a method that it lacks, while others have it. */
const lackMs = 600_000

/** Creates the record of one node. */
export function createCallRecord(): CallRecord {
  const rests = createRests()
  const pace = createPace()
  const usual = new Map<string, number>()
  const lacking = new Map<string, number>()
  let latencyMs: number | null = null
  let shown = -1n
  return {
    rests,
    pace,
    answered({ method, params, result, ms }) {
      latencyMs = Math.round(ms)
      usual.set(method, usual.has(method) ? (usual.get(method) ?? 0) * 0.8 + ms * 0.2 : ms)
      const number = newestShown(method, params, result) ?? -1n
      if (number > shown) shown = number
      rests.answered(method)
      lacking.delete(method)
      pace.served()
    },
    failed(method, began, failure) {
      const retryAfterMs = rateLimitOf(failure)
      const isLate = failure.code === 'DEADLINE_EXCEEDED' || failure.cause instanceof TimeoutError
      if (retryAfterMs !== null) pace.limited(began, retryAfterMs)
      else if (isLate) rests.failed(method, began, 'silent')
      else if (failure.code === 'UNAVAILABLE') rests.failed(method, began, 'refused')
      else if (failure.code === 'UNIMPLEMENTED') lacking.set(method, performance.now())
      else if (isMissingBlock(failure)) rests.lacked(began)
    },
    lacks: (method) => performance.now() - (lacking.get(method) ?? -Infinity) < lackMs,
    usualMs: (method) => usual.get(method) ?? 0,
    latencyMs: () => latencyMs,
    shown: () => shown,
    checked(height) {
      shown = height
    },
  }
}
