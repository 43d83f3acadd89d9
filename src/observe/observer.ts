import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import { type ErrorCode, errorTable } from '../contract/shared/errors.ts'
import { DomainError, StorageOutage } from '../domain/core/errors.ts'
import type { RequestObserver } from '../gateway/request-observer.ts'
import type { Metrics } from './metrics.ts'
import type { RequestSpan, Step, Tracing } from './tracing.ts'

type Code = ErrorCode | 'OK'
type Timed = { ok: boolean; seconds: number }

/** Every event worth recording, one function each. A function logs, counts and traces its event, and never throws. */
export type Observer = AsyncDisposable &
  RequestObserver & {
    started(event: { seconds: number; listening: Record<string, string>; runsOn: string[] }): void
    stopped(event: { reason: string }): void
    /** An event of the processes and files of an embedded chain; `warn` where an operator may have to act. */
    chain(event: { event: string; severity: 'warn' | 'info' | 'debug'; [detail: string]: unknown }): void
    /** Trading on a chain was halted by the gateway itself, for this reason. */
    chainHalted(event: { chain: string; reason: string }): void
    /** Background work failed; `triesAgain` where it is retried without a caller, as at the next block. */
    background(event: { task: string; error: unknown; triesAgain: boolean }): void
    /** Callers were refused whom a setting would let in, such as a host name that is not served. */
    refusedCallers(event: { setting: string; why: string; found: string }): void
    /** A secret differs where the gateway starts all the same, as between replicas. */
    secretDiffers(event: { setting: string; why: string }): void
    /** `at` is the block's time in seconds. */
    newBlock(event: { chain: string; at: number }): void
    engineAnswered(event: Timed & { method: string }): void
    /** One real call of one node, which its provider may bill; `method` is one of the contract, or `other`. */
    nodeCalled(event: Timed & { chainId: number | null; upstream: string; method: string }): void
    transactionEnded(event: Timed): void
    /**
     * Statements of the database, and its commits, which several transactions may share: how long each took, and how much
     * of that it held the event loop.
     */
    database: {
      statement(): void
      committed(seconds: number, heldSeconds: number): void
      /** The database does not respond from now on (`seconds` is null), or does so again after so many seconds. */
      outage(event: { failure: unknown; seconds: number | null }): void
      /** The database responds, but a limit of it ended a statement, or no connection was free. */
      busy(failure: unknown): void
    }
    /** Redis does not respond from now on (`seconds` is null), or does so again after so many seconds. */
    redisOutage(event: { failure: unknown; seconds: number | null }): void
    /** A request to a provider ended with this code; `cached` ones did not reach the provider. */
    providerAnswered(event: { provider: string; code: Code; cached: boolean; seconds: number }): void
    /** No request is sent to the provider for so long: it failed too often, or it demanded a pause, as with a ban. */
    providerRests(event: { provider: string; reason: 'failures' | 'requested'; seconds: number }): void
    exchangeLost(event: { reason: string }): void
    /** A real trade reached a state. */
    tradeMoved(event: { execution: string; state: string }): void
    /** One of the gateway's transactions stays out of blocks, or is given up, also because its key is lost. */
    transactionTroubled(event: {
      reference: string
      trouble: 'replaced' | 'cancelled' | 'given up'
      why: string | null
    }): void
    assistantReplied(event: { model: string; code: Code; seconds: number }): void
    /** The tokens of one request to the language model, also of one that failed. */
    tokensUsed(event: { model: string; inputTokens: number; outputTokens: number }): void
    /** All counters, as Prometheus text. */
    metrics(): Promise<string>
  }

/** Disposing of the observer sends the remaining spans. */
export function createObserver(parts: ObserverParts): Observer {
  const { log, metrics, tracing } = parts
  const { begun, unexpected, step } = watchRequests(parts)
  return {
    begun,
    unexpected,
    started: (event) => log.info(event, 'started'),
    stopped: (event) => log.info(event, 'stopped'),
    chain({ event, severity, error, ...details }) {
      metrics.chainEvents.inc({ chain: String(details.chain), event })
      log[severity]({ event, ...details, ...(error === undefined ? {} : { error: describeError(error) }) }, 'chain')
    },
    chainHalted({ chain, reason }) {
      metrics.chainEvents.inc({ chain, event: 'halted' })
      log.error({ chain }, reason)
    },
    background({ task, error, triesAgain }) {
      metrics.background.inc({ task })
      if (isOfOutage(error)) return
      const line = { task, error: describeError(error) }
      // A retry may succeed without help, as when the chain was unreachable for one block.
      if (triesAgain && error instanceof DomainError && errorTable[error.code].retry)
        log.warn(line, 'background task waits')
      else log.error(line, 'background task failed')
    },
    refusedCallers: ({ why, ...facts }) => log.warn(facts, why),
    secretDiffers: ({ why, ...facts }) => log.warn(facts, why),
    newBlock: ({ chain, at }) => metrics.newestBlock(chain, at),
    engineAnswered({ method, ok, seconds }) {
      metrics.engineSeconds.observe({ method, ok: String(ok) }, seconds)
      step({ name: `chain ${method}`, remote: true, ok, seconds, facts: { 'rpc.method': method } })
    },
    nodeCalled({ chainId, upstream, method, ok, seconds }) {
      const node = { chain: String(chainId ?? 'unknown'), upstream }
      metrics.upstreamCalls.inc({ ...node, method, ok: String(ok) })
      metrics.upstreamSeconds.observe(node, seconds)
    },
    ...watchStores(parts),
    transactionEnded({ ok, seconds }) {
      metrics.storageSeconds.observe({ ok: String(ok) }, seconds)
      step({ name: 'storage transaction', remote: false, ok, seconds, facts: {} })
    },
    providerAnswered({ provider, code, cached, seconds }) {
      metrics.providerCalls.inc({ provider, code: cached ? 'cached' : code })
      if (cached) return
      metrics.providerSeconds.observe({ provider }, seconds)
      const facts = { 'trident.provider': provider, 'trident.code': code }
      step({ name: `provider ${provider}`, remote: true, ok: code === 'OK', seconds, facts })
    },
    providerRests({ provider, reason, seconds }) {
      metrics.providerRests.inc({ provider, reason })
      log.warn({ provider, reason, seconds: Math.ceil(seconds) }, 'provider paused')
    },
    exchangeLost(event) {
      metrics.exchangeLosses.inc()
      log.warn(event, 'exchange stream lost')
    },
    tradeMoved(event) {
      metrics.trades.inc({ state: event.state })
      log.debug(event, 'trade')
    },
    transactionTroubled(event) {
      metrics.transactionTroubles.inc({ trouble: event.trouble })
      log.warn(event, 'transaction')
    },
    assistantReplied({ model, code, seconds }) {
      metrics.replies.inc({ model, code })
      const facts = { 'trident.model': model, 'trident.code': code }
      step({ name: 'assistant reply', remote: false, ok: code === 'OK', seconds, facts })
    },
    tokensUsed({ model, inputTokens, outputTokens }) {
      metrics.tokens.inc({ model, direction: 'input' }, inputTokens)
      metrics.tokens.inc({ model, direction: 'output' }, outputTokens)
    },
    metrics: metrics.text,
    [Symbol.asyncDispose]: tracing.close,
  }
}

type ObserverParts = { log: Logger; metrics: Metrics; tracing: Tracing }

/** A server that is too busy refuses much at once, and needs a line a second at most. */
const busyGapMs = 1_000

/** Observes the stores that may vanish and come back: one log line each way. */
function watchStores({ log, metrics }: ObserverParts): Pick<Observer, 'database' | 'redisOutage'> {
  let busyAt = Number.NEGATIVE_INFINITY
  return {
    database: {
      statement: () => metrics.statements.inc(),
      committed(seconds, heldSeconds) {
        metrics.commitSeconds.observe(seconds)
        metrics.commitHeld.inc(heldSeconds)
      },
      outage({ failure, seconds }) {
        if (seconds === null) log.error({ error: describeError(failure) }, 'the database does not respond')
        else log.info({ seconds: Math.round(seconds * 10) / 10 }, 'the database responds again')
      },
      busy(failure) {
        const now = performance.now()
        if (now - busyAt < busyGapMs) return
        busyAt = now
        log.warn({ error: describeError(failure) }, 'the database is too busy')
      },
    },
    redisOutage({ failure, seconds }) {
      metrics.redisAway.set(seconds === null ? 1 : 0)
      if (seconds === null) log.warn({ error: describeError(failure) }, 'Redis does not respond: rates are divided')
      else log.info({ seconds: Math.round(seconds * 10) / 10 }, 'Redis responds again')
    },
  }
}

/** Observes requests, and knows which request each step belongs to. */
type RequestWatch = RequestObserver & {
  /** Logs a step at level trace, and adds it to the span of its request. */
  step(step: Step): void
}

function watchRequests({ log, metrics, tracing }: ObserverParts): RequestWatch {
  const active = new AsyncLocalStorage<{ requestId: string; span: RequestSpan }>()
  return {
    begun({ operation, protocol, requestId, traceParent }) {
      const began = performance.now()
      const facts = { 'trident.operation': operation, 'trident.protocol': protocol, 'trident.request_id': requestId }
      const span = tracing.begin(operation, traceParent, facts)
      const labels = { operation, protocol }
      let open = false
      return {
        run: (work) => active.run({ requestId, span }, work),
        opened() {
          open = true
          metrics.streams.inc(labels)
        },
        finished(code, account) {
          const seconds = (performance.now() - began) / 1_000
          if (open) metrics.streams.dec(labels)
          metrics.requests.inc({ ...labels, code })
          metrics.requestSeconds.observe(labels, seconds)
          span.end(code, { 'trident.code': code })
          log.debug({ requestId, operation, protocol, code, ms: Math.round(seconds * 1_000), account }, 'request')
        },
      }
    },
    unexpected({ operation, requestId, error }) {
      metrics.unexpected.inc({ operation })
      log.error({ operation, requestId, error: describeError(error) }, 'unexpected error')
    },
    step(step) {
      const request = active.getStore()
      request?.span.step(step)
      const { name, ok, seconds, facts } = step
      log.trace({ requestId: request?.requestId, step: name, ok, ms: Math.round(seconds * 1_000), ...facts }, 'step')
    },
  }
}

/** Whether the database was away, which is logged once and not by everything that needs it. */
function isOfOutage(error: unknown): boolean {
  for (let found = error, depth = 0; found instanceof Error && depth <= deepestCause; found = found.cause, depth += 1)
    if (found instanceof StorageOutage) return true
  return false
}

/** Logged characters of a message: enough for its sentence, not for what a library appends. */
const mostCharacters = 300
const deepestCause = 4

/**
 * Name, code, first line and stack of an error and of its causes. Other fields and further lines of the message are left
 * out, because libraries put request data into them.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return lineOf(String(error))
  const { name, message, stack = '', cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: lineOf(error.code) } : {}
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  const described = { name, ...code, message: lineOf(message), stack: frames.join('\n') }
  return cause === undefined || depth >= deepestCause
    ? described
    : { ...described, cause: describeError(cause, depth + 1) }
}

function lineOf(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, mostCharacters) ?? ''
}
