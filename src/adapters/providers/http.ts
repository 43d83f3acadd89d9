import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import type { z } from 'zod'
import { timeLimit } from '../../domain/core/time-limit.ts'
import { cancelled, createCoalesce } from '../async/single-flight.ts'
import { attempt } from './http-attempt.ts'
import { createBreaker, type Rest } from './http-breaker.ts'
import { type AnswerCache, createAnswerCache } from './http-cache.ts'
import { endpointOf, urlOf, wordsOf } from './http-endpoint.ts'
import {
  errorOf,
  type Failure,
  isOutage,
  isPassing,
  isUndone,
  type Naming,
  resting,
  retryAfter,
  unread,
} from './http-failure.ts'
import { parseBounded } from './http-json.ts'

/**
 * How every provider is asked, whichever it is:
 *
 * | what | how |
 * |---|---|
 * | deadline | 10 s a call, 4 s an attempt, or as many times that as the call has `patience`; DEADLINE_EXCEEDED after it |
 * | retry | twice, after a random part of 100 ms, then of 300 ms: on no connection, a cut or unreadable answer, a timeout, 408, 418, 425, 429 and 5xx; a POST that is not `repeatable` only on 418 and 429, which say that nothing was done |
 * | Retry-After | at most an hour, or three days with a ban (418); waited for where the deadline allows; until then nobody asks: UNAVAILABLE with the seconds left |
 * | circuit breaker | after 5 failures in a row nobody asks for 5 s, then one call tries; 4xx and odd shapes do not count |
 * | size | packed by gzip, brotli or deflate where the provider can; 4 MiB of what that is unpacked, unless the call says otherwise, nested at most 12 deep; more is UNAVAILABLE and not retried, for it is what was asked for |
 * | redirects | not followed, for they would carry the key elsewhere |
 * | shape | parsed by zod; what does not fit is UNAVAILABLE and not retried |
 * | caller leaves | CANCELLED; the request ends with the last caller that waits for it |
 * | equal calls | share one request while it is under way |
 * | cache | as long as the call says, at most 64 MiB of what the schema leaves, of all providers that share a cache together; every answer tells its age |
 * | 404 / other 4xx | NOT_FOUND / INVALID_ARGUMENT with the provider's words; 401, 402, 403 name the setting of the key |
 * | secrets | cut out of every word of a provider; errors name settings, never addresses |
 */
export type HttpProvider = {
  ask<T>(asked: Asked<T>): Promise<Answer<T>>
  close(): Promise<void>
}

/** A question to a provider. Equal questions must come with equal schemas, for they share one answer. */
export type Asked<T> = {
  /** Beneath the base URL, every part encoded by the caller. */
  path: string
  query?: Readonly<Record<string, string | number>>
  /** Sent as JSON by POST; text is sent as it is. */
  body?: unknown
  /** A POST that may be sent again, because it changes nothing. */
  repeatable?: boolean
  schema: z.ZodType<T>
  /** The answer is plain text and not JSON. */
  plain?: boolean
  mostBytes?: number
  /** How many times longer than other answers a long one may take. */
  patience?: number
  cacheMs?: number
  signal: AbortSignal
}

/** An answer with its age in milliseconds, 0 where it was just asked for, and what asking took. */
export type Answer<T> = { value: T; ageMs: number; latencyMs: number }

export type HttpProviderOptions = Naming & {
  baseUrl: string
  headers?: Readonly<Record<string, string>>
  /** Texts that nobody may be shown, such as keys. */
  secrets?: readonly string[]
  times?: Partial<typeof usual>
  /** Shared with other providers; one of its own unless given. */
  cache?: AnswerCache
  /** Hears of each time that the provider is left alone, as it begins. */
  rests?: (rest: Rest) => void
  /** In place of a pool of 16 connections. */
  dispatcher?: Dispatcher
}

/** Times in milliseconds, and counts, that a provider is asked by. */
export const usual = { deadlineMs: 10_000, attemptMs: 4_000, retries: 2, pauseMs: 100, failures: 5, restMs: 5_000 }
const usualBytes = 4 * 1_048_576

/** Opens a provider; nothing is asked of it yet. A user and password in the base URL travel as a header. */
export function createHttpProvider(options: HttpProviderOptions): HttpProvider {
  const times = { ...usual, ...options.times }
  const { base, headers, secrets } = endpointOf(options)
  const pool = options.dispatcher ?? new Agent({ connections: 16, connect: { timeout: times.attemptMs } })
  const breaker = createBreaker(times, options.rests)
  const coalesce = createCoalesce()
  const cache = options.cache ?? createAnswerCache()

  /** One attempt, read and parsed. */
  async function once<T>(asked: Asked<T>, signal: AbortSignal): Promise<{ value: T } | Failure> {
    const { body } = asked
    const outcome = await attempt(pool, {
      url: urlOf(base, asked),
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined || typeof body === 'string' ? {} : json) },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      mostBytes: asked.mostBytes ?? usualBytes,
      timeoutMs: times.attemptMs * (asked.patience ?? 1),
      signal,
    })
    if (outcome.kind !== 'reply') return outcome
    const { status, text } = outcome
    if (status < 200 || status >= 300) {
      const retryAfterMs = retryAfter(outcome.headers['retry-after'], new Date(), status)
      return { kind: 'status', status, words: wordsOf(text, secrets), retryAfterMs }
    }
    const read = asked.plain === true ? { value: text } : parseBounded(text)
    if ('fault' in read) return unread(read.fault)
    const parsed = asked.schema.safeParse(read.value)
    if (parsed.success) return { value: parsed.data }
    const [issue] = parsed.error.issues
    return { kind: 'misshapen', cause: new Error(`${issue?.path.join('.') ?? ''}: ${issue?.code ?? ''}`) }
  }

  /** Attempts until one succeeds or none more may be made. */
  async function persist<T>(asked: Asked<T>, left: AbortSignal): Promise<{ value: T }> {
    const deadlineMs = times.deadlineMs * (asked.patience ?? 1)
    const until = performance.now() + deadlineMs
    const late = timeLimit(deadlineMs)
    const signal = AbortSignal.any([left, late])
    const isRepeatable = asked.body === undefined || asked.repeatable === true
    try {
      for (let tries = 0; ; tries += 1) {
        const rest = breaker.enter(performance.now())
        if (rest > 0) throw resting(options.name, rest)
        const outcome = await once(asked, signal)
        note(outcome)
        if ('value' in outcome) return outcome
        const wait = asWait(outcome) + 2 + Math.random() * times.pauseMs * 3 ** tries
        const isLast = tries >= times.retries || performance.now() + wait >= until
        const mayRepeat = isRepeatable || isUndone(outcome)
        if (!mayRepeat || !isPassing(outcome) || isLast) throw errorOf(outcome, options)
        await sleep(wait, undefined, { signal })
      }
    } catch (thrown) {
      if (left.aborted) throw cancelled()
      if (!late.aborted) throw thrown
      const failure: Failure = { kind: 'timeout', cause: new Error('deadline') }
      note(failure)
      throw errorOf(failure, options)
    }
  }

  function note(outcome: { value: unknown } | Failure): void {
    if ('value' in outcome || !isOutage(outcome)) breaker.succeeded()
    else breaker.failed(performance.now())
    if ('kind' in outcome && asWait(outcome) > 0) breaker.limit(performance.now(), asWait(outcome))
  }

  return {
    async ask<T>(asked: Asked<T>): Promise<Answer<T>> {
      const started = performance.now()
      const key = `${options.urlSetting} ${urlOf(base, asked).href}\n${asked.body === undefined ? '' : JSON.stringify(asked.body)}`
      const kept = cache.get(key)
      if (kept !== undefined) return { value: kept.value as T, ageMs: Math.round(started - kept.at), latencyMs: 0 }
      const work = async (signal: AbortSignal) => {
        const { value } = await persist(asked, signal)
        if (asked.cacheMs !== undefined) cache.keep(key, value, asked.cacheMs)
        return value
      }
      const shared = asked.body === undefined || asked.repeatable === true
      const value = shared ? await coalesce(key, asked.signal, work) : await work(asked.signal)
      return { value: value as T, ageMs: 0, latencyMs: Math.round(performance.now() - started) }
    },
    close: () => pool.destroy(),
  }
}

const json = { 'content-type': 'application/json' }

/** Milliseconds that a provider asked to be left alone. */
function asWait(failure: Failure): number {
  return failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0
}
