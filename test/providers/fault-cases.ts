import { usual as streamTimes } from '../../src/adapters/exchange/stream-socket.ts'
import { usual as httpTimes } from '../../src/adapters/providers/http.ts'
import type { ErrorCode } from '../../src/contract/shared/errors.ts'
import type { Fault } from '../../src/sandbox/provider-server/faults.ts'

/**
 * A fault of an HTTP provider: for so many requests, or for all. The table of the research guide is generated from
 * these.
 */
export type Case = {
  name: string
  fault: Fault
  times?: number
  /** The error for the caller; null where the call succeeds. */
  code: ErrorCode | null
  /** Requests in all. */
  attempts: number
}

const everyAttempt = httpTimes.retries + 1

export const cases: readonly Case[] = [
  { name: 'answers late, but in time', fault: { type: 'latency', ms: 50 }, code: null, attempts: 1 },
  { name: 'answers too late once', fault: { type: 'latency', ms: 3_000 }, times: 1, code: null, attempts: 2 },
  { name: 'is silent once', fault: { type: 'stall' }, times: 1, code: null, attempts: 2 },
  { name: 'is silent', fault: { type: 'stall' }, code: 'DEADLINE_EXCEEDED', attempts: everyAttempt },
  { name: 'stops within an answer once', fault: { type: 'stall_midway' }, times: 1, code: null, attempts: 2 },
  {
    name: 'stops within its answers',
    fault: { type: 'stall_midway' },
    code: 'DEADLINE_EXCEEDED',
    attempts: everyAttempt,
  },
  { name: 'resets once', fault: { type: 'reset' }, times: 1, code: null, attempts: 2 },
  { name: 'resets', fault: { type: 'reset' }, code: 'UNAVAILABLE', attempts: everyAttempt },
  { name: 'cuts an answer once', fault: { type: 'truncate' }, times: 1, code: null, attempts: 2 },
  { name: 'cuts its answers', fault: { type: 'truncate' }, code: 'UNAVAILABLE', attempts: everyAttempt },
  { name: 'answers 500 once', fault: { type: 'status', status: 500 }, times: 1, code: null, attempts: 2 },
  { name: 'answers 500', fault: { type: 'status', status: 500 }, code: 'UNAVAILABLE', attempts: everyAttempt },
  { name: 'answers 503 twice', fault: { type: 'status', status: 503 }, times: 2, code: null, attempts: 3 },
  {
    name: 'answers 429 once, with Retry-After 0',
    fault: { type: 'status', status: 429, retry_after: 0 },
    times: 1,
    code: null,
    attempts: 2,
  },
  {
    name: 'answers 429 with Retry-After 60',
    fault: { type: 'status', status: 429, retry_after: 60 },
    code: 'UNAVAILABLE',
    attempts: 1,
  },
  {
    name: 'answers 418 with Retry-After 3600',
    fault: { type: 'status', status: 418, retry_after: 3_600 },
    code: 'UNAVAILABLE',
    attempts: 1,
  },
  { name: 'answers 401', fault: { type: 'status', status: 401 }, code: 'UNAVAILABLE', attempts: 1 },
  { name: 'answers 402', fault: { type: 'status', status: 402 }, code: 'UNAVAILABLE', attempts: 1 },
  { name: 'answers 404', fault: { type: 'status', status: 404 }, code: 'NOT_FOUND', attempts: 1 },
  { name: 'answers 400', fault: { type: 'status', status: 400 }, code: 'INVALID_ARGUMENT', attempts: 1 },
  { name: 'answers a redirect', fault: { type: 'status', status: 302 }, code: 'UNAVAILABLE', attempts: 1 },
  { name: 'answers JSON of another shape', fault: { type: 'wrong_json' }, code: 'UNAVAILABLE', attempts: 1 },
  { name: 'answers no JSON once', fault: { type: 'garbage' }, times: 1, code: null, attempts: 2 },
  { name: 'answers no JSON', fault: { type: 'garbage' }, code: 'UNAVAILABLE', attempts: everyAttempt },
  { name: 'answers more than is taken', fault: { type: 'flood' }, code: 'UNAVAILABLE', attempts: 1 },
]

/** True where the provider takes longer than an attempt. */
export function isSilent({ fault, times }: Case): boolean {
  return fault.type.startsWith('stall') || (fault.type === 'latency' && times === 1)
}

/**
 * The result of a request that is never repeated, because it may have been executed: only a rate limit proves that it
 * was not.
 */
export function sentOnce(one: Case): Pick<Case, 'code' | 'attempts'> {
  const { fault, times, code } = one
  if (times === undefined || (fault.type === 'status' && fault.status === 429)) {
    const isLimit = fault.type === 'status' && [418, 429].includes(fault.status)
    return { code, attempts: isLimit ? one.attempts : 1 }
  }
  return { code: isSilent(one) ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE', attempts: 1 }
}

/** The most seconds that the caller waits, with the gateway's timeouts. */
export function secondsOf(one: Case, attempts: number): number {
  if (!isSilent(one)) return 0
  const silences = Math.min(attempts, one.times ?? attempts)
  return Math.min(httpTimes.deadlineMs, silences * httpTimes.attemptMs) / 1_000
}

/** A fault of the exchange's stream for two connections in a row. */
export type StreamCase = { name: string; fault: Fault; noticedMs: number }

export const streamCases: readonly StreamCase[] = [
  { name: 'cuts the connection', fault: { type: 'reset' }, noticedMs: 0 },
  { name: 'cuts within a message', fault: { type: 'truncate' }, noticedMs: 0 },
  { name: 'is late with the connection', fault: { type: 'latency', ms: 200 }, noticedMs: 0 },
  { name: 'does not answer the connection', fault: { type: 'stall' }, noticedMs: streamTimes.connectMs },
  { name: 'falls silent', fault: { type: 'stall_midway' }, noticedMs: 2 * streamTimes.idleMs },
  { name: 'answers 500', fault: { type: 'status', status: 500 }, noticedMs: 0 },
  { name: 'answers 429 with Retry-After', fault: { type: 'status', status: 429, retry_after: 1 }, noticedMs: 0 },
  { name: 'answers 418 with Retry-After', fault: { type: 'status', status: 418, retry_after: 1 }, noticedMs: 0 },
  { name: 'takes no subscription', fault: { type: 'wrong_json' }, noticedMs: streamTimes.answerMs },
  { name: 'tells no JSON', fault: { type: 'garbage' }, noticedMs: 0 },
  { name: 'tells more than is taken at once', fault: { type: 'flood' }, noticedMs: 0 },
]
