import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import type { z } from 'zod'
import { timeLimit } from '../../kit/time-limit.ts'
import { cancelled, createCoalesce } from '../async/single-flight.ts'
import { attempt } from './http-attempt.ts'
import { createBreaker, type Rest } from './http-breaker.ts'
import { createResponseCache, type ResponseCache } from './http-cache.ts'
import { endpointOf, messageOf, urlOf } from './http-endpoint.ts'
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
import type { SharedAnswers } from './shared-answers.ts'

/**
 * A client of one provider. Rules of every request:
 *
 * | what | how |
 * |---|---|
 * | deadline | 10 s a call, 4 s an attempt, multiplied by the `timeFactor` of the call; DEADLINE_EXCEEDED after it |
 * | retry | twice, after a random part of 100 ms, then of 300 ms: without a connection, after a cut or invalid response, a timeout, 408, 418, 425, 429, 500, 502, 503 and 504; a POST that is not `repeatable` only after 418 and 429, which mean that nothing was done |
 * | Retry-After | at most an hour, or three days with a ban (418); waited for where the deadline allows; all requests pause until then: UNAVAILABLE with the remaining seconds |
 * | circuit breaker | after 5 failures in a row requests pause for 5 s, then one call tests the provider; 4xx other than 408 and 425, and invalid shapes, do not count |
 * | size | compressed by gzip, brotli or deflate; 4 MiB decompressed unless the call says otherwise, nested at most 12 deep; more is UNAVAILABLE and not retried, for the request causes it |
 * | redirects | not followed, for they would carry the key elsewhere |
 * | shape | parsed by zod; another shape is UNAVAILABLE and not retried |
 * | other processes | share responses that are cached, and pauses, where they share a Redis; a response from there is parsed by zod like a new one |
 * | caller disconnects | CANCELLED; the request ends with the last caller that waits for it |
 * | equal calls | share one request while it runs |
 * | cache | as long as the call says, at most 64 MiB of parsed values of all providers that share a cache; every response has its age |
 * | 404 / other 4xx | NOT_FOUND / INVALID_ARGUMENT with the provider's message; 401, 402, 403 name the setting of the key |
 * | secrets | removed from every message of a provider; errors name settings, never URLs |
 */
export type HttpProvider = {
  request<T>(request: ProviderRequest<T>): Promise<ProviderResponse<T>>
  close(): Promise<void>
}

/** A request to a provider. Equal requests must have equal schemas, for they share one response. */
export type ProviderRequest<T> = {
  /** Under the base URL; the caller encodes every part. */
  path: string
  query?: Readonly<Record<string, string | number>>
  /** Sent as JSON by POST; text is sent as it is. */
  body?: unknown
  /** A POST that can be sent again, because it changes nothing. */
  repeatable?: boolean
  schema: z.ZodType<T>
  /** The response is plain text, not JSON. */
  plain?: boolean
  mostBytes?: number
  /** Multiplies the time limits, for large responses. */
  timeFactor?: number
  cacheMs?: number
  signal: AbortSignal
}

/** A response with its age, 0 where it is new, and the time that the request took, 0 where it was cached. */
export type ProviderResponse<T> = { value: T; ageMs: number; latencyMs: number }

export type HttpProviderOptions = Naming & {
  baseUrl: string
  headers?: Readonly<Record<string, string>>
  /** Texts that must stay secret, such as keys. */
  secrets?: readonly string[]
  times?: Partial<typeof usual>
  /** A cache that other providers share; by default one for this provider alone. */
  cache?: ResponseCache
  /** What other processes share; by default nothing. */
  shared?: SharedAnswers
  /** Is called as each pause of requests begins. */
  rests?: (rest: Rest) => void
  /** Replaces the pool of 16 connections. */
  dispatcher?: Dispatcher
}

/** The usual time limits and counts. */
export const usual = { deadlineMs: 10_000, attemptMs: 4_000, retries: 2, pauseMs: 100, failures: 5, restMs: 5_000 }
const usualBytes = 4 * 1_048_576

/** Creates the client of a provider without a request yet. A user and password in the base URL are sent as a header. */
export function createHttpProvider(options: HttpProviderOptions): HttpProvider {
  const times = { ...usual, ...options.times }
  const endpoint = endpointOf(options)
  const { base } = endpoint
  const pool = options.dispatcher ?? new Agent({ connections: 16, connect: { timeout: times.attemptMs } })
  const { shared } = options
  const name = `${options.urlSetting} ${base.href}`
  const breaker = createBreaker(times, (rest) => {
    void shared?.rest(name, rest.seconds * 1_000)
    options.rests?.(rest)
  })
  const coalesce = createCoalesce()
  const cache = options.cache ?? createResponseCache()

  /** The response that another process has kept, if it is one. It may also have learnt that the provider rests. */
  async function fromOthers<T>(
    request: ProviderRequest<T>,
    key: string,
  ): Promise<(Read<T> & { ageMs: number }) | null> {
    if (shared === undefined) return null
    const { text, ageMs, restMs } = await shared.look(name, key, request.cacheMs ?? 0)
    if (restMs > 0) breaker.adopt(performance.now(), restMs)
    const read = text === null ? null : readText(request, text)
    return read !== null && 'value' in read ? { ...read, ageMs } : null
  }

  /** Repeats attempts until one succeeds or no further one is allowed. */
  async function persist<T>(request: ProviderRequest<T>, cancelledBy: AbortSignal): Promise<Read<T>> {
    const deadlineMs = times.deadlineMs * (request.timeFactor ?? 1)
    const until = performance.now() + deadlineMs
    const late = timeLimit(deadlineMs)
    const signal = AbortSignal.any([cancelledBy, late])
    const isRepeatable = request.body === undefined || request.repeatable === true
    try {
      for (let tries = 0; ; tries += 1) {
        const rest = breaker.enter(performance.now())
        if (rest > 0) throw resting(options.name, rest)
        const outcome = await once({ pool, endpoint, attemptMs: times.attemptMs }, request, signal)
        note(outcome)
        if ('value' in outcome) return outcome
        const wait = requestedPause(outcome) + 2 + Math.random() * times.pauseMs * 3 ** tries
        const isLast = tries >= times.retries || performance.now() + wait >= until
        const mayRepeat = isRepeatable || isUndone(outcome)
        if (!mayRepeat || !isPassing(outcome) || isLast) throw errorOf(outcome, options)
        await sleep(wait, undefined, { signal })
      }
    } catch (thrown) {
      if (cancelledBy.aborted) throw cancelled()
      if (!late.aborted) throw thrown
      const failure: Failure = { kind: 'timeout', cause: new Error('deadline') }
      note(failure)
      throw errorOf(failure, options)
    }
  }

  function note(outcome: { value: unknown } | Failure): void {
    if ('value' in outcome || !isOutage(outcome)) breaker.succeeded()
    else breaker.failed(performance.now())
    if ('kind' in outcome && requestedPause(outcome) > 0) breaker.limit(performance.now(), requestedPause(outcome))
  }

  return {
    async request<T>(request: ProviderRequest<T>): Promise<ProviderResponse<T>> {
      const started = performance.now()
      const key = `${options.urlSetting} ${urlOf(base, request).href}\n${request.body === undefined ? '' : JSON.stringify(request.body)}`
      const cached = cache.get(key)
      if (cached !== undefined)
        return { value: cached.value as T, ageMs: Math.round(started - cached.at), latencyMs: 0 }
      const work = async (signal: AbortSignal) => {
        const known = await fromOthers(request, key)
        const { value, text } = known ?? (await persist(request, signal))
        const { cacheMs } = request
        if (cacheMs !== undefined) cache.set(key, value, cacheMs, known?.ageMs)
        if (cacheMs !== undefined && known === null) void shared?.keep(key, text, cacheMs)
        return { value, ageMs: known?.ageMs ?? null }
      }
      const isOne = request.body === undefined || request.repeatable === true
      const result = isOne ? await coalesce(key, request.signal, work) : await work(request.signal)
      const { value, ageMs } = result as Awaited<ReturnType<typeof work>>
      const latencyMs = ageMs === null ? Math.round(performance.now() - started) : 0
      return { value, ageMs: Math.round(ageMs ?? 0), latencyMs }
    },
    close: () => pool.destroy(),
  }
}

/** How attempts reach a provider. */
type Road = { pool: Dispatcher; endpoint: ReturnType<typeof endpointOf>; attemptMs: number }

/** Sends one attempt and parses its response. */
async function once<T>(
  { pool, endpoint: { base, headers, secrets }, attemptMs }: Road,
  request: ProviderRequest<T>,
  signal: AbortSignal,
): Promise<Read<T> | Failure> {
  const { body } = request
  const outcome = await attempt(pool, {
    url: urlOf(base, request),
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body === undefined || typeof body === 'string' ? {} : json) },
    body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    mostBytes: request.mostBytes ?? usualBytes,
    timeoutMs: attemptMs * (request.timeFactor ?? 1),
    signal,
  })
  if (outcome.kind !== 'reply') return outcome
  const { status, text } = outcome
  if (status < 200 || status >= 300) {
    const retryAfterMs = retryAfter(outcome.headers['retry-after'], new Date(), status)
    return { kind: 'status', status, message: messageOf(text, secrets), retryAfterMs }
  }
  return readText(request, text)
}

/** A response: its text, and what the schema made of it. */
type Read<T> = { value: T; text: string }

function readText<T>({ plain, schema }: ProviderRequest<T>, text: string): Read<T> | Failure {
  const read = plain === true ? { value: text } : parseBounded(text)
  if ('fault' in read) return unread(read.fault)
  const parsed = schema.safeParse(read.value)
  if (parsed.success) return { value: parsed.data, text }
  const [issue] = parsed.error.issues
  return { kind: 'misshapen', cause: new Error(`${issue?.path.join('.') ?? ''}: ${issue?.code ?? ''}`) }
}

const json = { 'content-type': 'application/json' }

/** The pause that a provider requested, in milliseconds. */
function requestedPause(failure: Failure): number {
  return failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0
}
