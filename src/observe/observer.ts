import { type ErrorCode, errorTable } from '../contract/shared/errors.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { RequestObserver } from '../gateway/request-observer.ts'
import { describeError } from './describe-error.ts'
import { type ObserverParts, watchRequests } from './requests.ts'

type Code = ErrorCode | 'OK'
type Timed = { ok: boolean; seconds: number }

/** Everything worth knowing, one function an event: each logs, counts and traces as it deserves, and never throws. */
export type Observer = AsyncDisposable &
  RequestObserver & {
    started(event: { seconds: number; listening: Record<string, string>; runsOn: string[] }): void
    stopped(event: { reason: string }): void
    /** Something about the processes and files of an embedded chain. */
    chain(event: { event: string; [detail: string]: unknown }): void
    /** Work that nobody waits for failed; `triesAgain` where it is done anew by itself, as at the next block. */
    background(event: { task: string; error: unknown; triesAgain: boolean }): void
    /** `at` is the block's time in seconds. */
    newBlock(event: { chain: string; at: number }): void
    engineAnswered(event: Timed & { method: string }): void
    transactionEnded(event: Timed): void
    /** What a caller of the provider sees; `cached` cost the provider nothing. */
    providerAnswered(event: { provider: string; code: Code; cached: boolean; seconds: number }): void
    /** Nobody asks the provider for so long: it failed too often, or asked for it, as a ban does. */
    providerRests(event: { provider: string; reason: 'failures' | 'asked'; seconds: number }): void
    exchangeLost(event: { reason: string }): void
    /** A real trade came to a state. */
    tradeMoved(event: { execution: string; state: string }): void
    /** A transaction of ours stays out of blocks, or is given up: also where its key is lost. */
    transactionTroubled(event: {
      reference: string
      trouble: 'replaced' | 'cancelled' | 'given up'
      why: string | null
    }): void
    assistantReplied(event: { model: string; code: Code; seconds: number }): void
    /** A request to the language model was answered, whole or in part. */
    tokensUsed(event: { model: string; inputTokens: number; outputTokens: number }): void
    /** All that was counted, as Prometheus text. */
    metrics(): Promise<string>
  }

/** Events of the embedded chain that somebody may have to look into. */
const troubles = /failed|dropped|unusable|torn|orphan/

/** Makes an observer; disposing of it sends the spans that wait. */
export function createObserver(parts: ObserverParts): Observer {
  const { log, metrics, tracing } = parts
  const { begun, unexpected, step } = watchRequests(parts)
  return {
    begun,
    unexpected,
    started: (event) => log.info(event, 'started'),
    stopped: (event) => log.info(event, 'stopped'),
    chain({ event, error, ...details }) {
      metrics.chainEvents.inc({ chain: String(details.chain), event })
      const told = { event, ...details, ...(error === undefined ? {} : { error: describeError(error) }) }
      if (troubles.test(event)) log.warn(told, 'chain')
      else log.debug(told, 'chain')
    },
    background({ task, error, triesAgain }) {
      metrics.background.inc({ task })
      const told = { task, error: describeError(error) }
      // What may succeed by itself, as where the chain was away for a block, asks nobody to do anything.
      if (triesAgain && error instanceof DomainError && errorTable[error.code].retry)
        log.warn(told, 'background task waits')
      else log.error(told, 'background task failed')
    },
    newBlock: ({ chain, at }) => metrics.newestBlock(chain, at),
    engineAnswered({ method, ok, seconds }) {
      metrics.engineSeconds.observe({ method, ok: String(ok) }, seconds)
      step({ name: `chain ${method}`, remote: true, ok, seconds, facts: { 'rpc.method': method } })
    },
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
      log.warn({ provider, reason, seconds: Math.ceil(seconds) }, 'provider is left alone')
    },
    exchangeLost(event) {
      metrics.exchangeLosses.inc()
      log.warn(event, 'the stream of the exchange broke')
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
