import { pino } from 'pino'
import type { RequestObserver } from '../gateway.ts'
import type { Metrics } from './metrics.ts'

/** Everything worth knowing, one function an event: each logs, counts and never throws. */
export type Observer = RequestObserver & {
  started(event: { seconds: number; listening: Record<string, string>; runsOn: string[] }): void
  stopped(event: { reason: string }): void
  chain(event: { event: string; [detail: string]: unknown }): void
  background(event: { task: string; error: unknown }): void
}

/** Events of the embedded chain that somebody may have to look into. */
const troubles = /failed|dropped|unusable|torn|orphan/

export function createObserver(level: string, metrics: Metrics): Observer {
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: false }),
  )
  return {
    finished({ operation, protocol, code, seconds, requestId }) {
      metrics.count('trident_requests_total', { operation, protocol, code })
      metrics.time('trident_request_seconds', { operation, protocol }, seconds)
      log.debug({ operation, protocol, code, ms: Math.round(seconds * 1_000), requestId }, 'request')
    },
    unexpected({ operation, requestId, error }) {
      metrics.count('trident_unexpected_errors_total', { operation })
      log.error({ operation, requestId, error: describe(error) }, 'unexpected error')
    },
    started: (event) => log.info(event, 'started'),
    stopped: (event) => log.info(event, 'stopped'),
    chain: (event) => (troubles.test(event.event) ? log.warn(event, 'chain') : log.debug(event, 'chain')),
    background({ task, error }) {
      metrics.count('trident_background_failures_total', { task })
      log.error({ task, error: describe(error) }, 'background task failed')
    },
  }
}

/** Name, message and stack down the chain of causes; never the fields of an error, which may hold what was sent. */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause !== undefined && depth < 4 ? { cause: describe(error.cause, depth + 1) } : {}
  return { name: error.name, message: error.message, stack: error.stack, ...cause }
}
