import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../../domain/core/errors.ts'
import { sendFailure } from '../../http-errors.ts'

/** What the process says about itself. */
export type HealthParts = {
  /** Each part by name with `ok` or a few words on what is wrong; no secrets, anybody may read it. */
  checks(): Promise<Record<string, string>>
  /** Metrics as Prometheus text. */
  metrics(): Promise<string>
  /** Metrics tell what the house trades and how it fares: they are not for everybody. */
  mayReadMetrics(request: IncomingMessage): boolean
  closing: AbortSignal
}

/** A Fastify plugin with liveness, readiness and metrics. Not ready is 503, as it is from the moment the server closes. */
export function healthRoutes(parts: HealthParts): (app: FastifyInstance) => Promise<void> {
  const checks = askedRarely(parts.checks)
  return async (app) => {
    app.get('/health/live', async () => ({ status: 'live' }))
    app.get('/health/ready', async (_request, reply) => {
      const states = parts.closing.aborted ? { server: 'closing' } : await checks()
      const ready = Object.values(states).every((state) => state === 'ok')
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
  'Metrics are for the operator: send OPERATOR_TOKEN as authorization: Bearer, or ask from the machine itself.'

/** One answer for everybody who asks while it is on its way or within a second after, so that probes cost upstream little. */
function askedRarely<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  const forget = () => {
    answer = null
  }
  return () => {
    answer ??= ask().finally(() => setTimeout(forget, 1_000).unref())
    return answer
  }
}
