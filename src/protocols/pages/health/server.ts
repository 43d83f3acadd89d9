import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../../domain/core/errors.ts'
import { sendFailure } from '../../http-errors.ts'
import { isReady } from '../../readiness.ts'

/** What health and metrics report. */
type HealthParts = {
  /** The checked parts by name, each with `ok` or a short reason. It is public, so it contains no secrets. */
  checks(): Promise<Record<string, string>>
  /** Metrics as Prometheus text. */
  metrics(): Promise<string>
  /** Metrics show how much is traded, so not every caller may read them. */
  mayReadMetrics(request: IncomingMessage): boolean
  /** Aborts when callers are to go elsewhere, though the server still serves. */
  draining?: AbortSignal
  closing: AbortSignal
}

/** A Fastify plugin with liveness, readiness and metrics. Readiness is 503 where a check fails or the server is draining or closing. */
export function healthRoutes(parts: HealthParts): (app: FastifyInstance) => Promise<void> {
  const checks = atMostEverySecond(parts.checks)
  return async (app) => {
    app.get('/health/live', async () => ({ status: 'live' }))
    app.get('/health/ready', async (_request, reply) => {
      const leaving = parts.closing.aborted ? 'closing' : parts.draining?.aborted ? 'draining' : null
      const states = leaving === null ? await checks() : { server: leaving }
      const ready = isReady(states)
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks: states })
    })
    app.get('/metrics', async (request, reply) => {
      if (!parts.mayReadMetrics(request.raw))
        return sendFailure(reply, new DomainError('UNAUTHENTICATED', forOperators), {})
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await parts.metrics())
    })
  }
}

const forOperators =
  'Metrics are for the operator. Send METRICS_TOKEN, or the operator token, as authorization: Bearer.'

/** Shares one result among the calls that arrive while it is computed or within a second after, so that probes cost little. */
function atMostEverySecond<T>(compute: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  const forget = () => {
    result = null
  }
  return () => {
    result ??= compute().finally(() => setTimeout(forget, 1_000).unref())
    return result
  }
}
