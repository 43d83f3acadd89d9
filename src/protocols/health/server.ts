import type { FastifyInstance } from 'fastify'

/** What the process says about itself. */
export type HealthParts = {
  /** Each part by name with `ok` or a few words on what is wrong; no secrets, anybody may read it. */
  checks(): Promise<Record<string, string>>
  /** Metrics as Prometheus text. */
  metrics(): string
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
    app.get('/metrics', async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(parts.metrics()),
    )
  }
}

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
