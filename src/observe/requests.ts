import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { RequestObserver } from '../gateway/request-observer.ts'
import { describeError } from './describe-error.ts'
import type { Metrics } from './metrics.ts'
import type { RequestSpan, Step, Tracing } from './tracing.ts'

export type ObserverParts = { log: Logger; metrics: Metrics; tracing: Tracing }

/** Observes requests, and knows which request each step belongs to. */
export type RequestWatch = RequestObserver & {
  /** Logs a step at level trace, and adds it to the span of its request. */
  step(step: Step): void
}

export function watchRequests({ log, metrics, tracing }: ObserverParts): RequestWatch {
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
