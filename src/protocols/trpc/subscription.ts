import { isTrackedEnvelope } from '@trpc/server'
import type { FastifyReply } from 'fastify'
import { beginEvents, type Dialect, writeEvents } from '../event-stream.ts'
import { run, told } from './answer.ts'
import { type TrpcContext, trpcOptions } from './dependencies.ts'
import { shapeOf } from './errors.ts'
import { patienceMs, type TrpcParts } from './parts.ts'
import type { PlainCall } from './plain.ts'

/** Sends a subscription's events; a refusal is its only one. */
export async function subscribe(
  parts: TrpcParts,
  plain: PlainCall,
  context: TrpcContext,
  reply: FastifyReply,
  frame: typeof plainFrame,
): Promise<void> {
  const shape = (thrown: unknown) => shapeOf(told(parts, reply, thrown, plain.path), plain.path, reply.request.id)
  const dialect = subscriptionDialect(frame, shape)
  const opened = await run(parts, plain, { ...context, patience: null }).then(
    (events) => ({ events: events as AsyncGenerator<unknown, void, undefined> }),
    (thrown: unknown) => ({ thrown }),
  )
  const raw = beginEvents(reply, { ...context.headers, ...subscriptionHeaders })
  raw.write(connected)
  if ('thrown' in opened) {
    raw.end(dialect.failed(opened.thrown))
    return
  }
  const pace = {
    heartbeatMs: parts.router._def._config.sse?.ping?.intervalMs ?? trpcOptions.sse.ping.intervalMs,
    slowReaderMs: patienceMs(parts),
  }
  const ended = AbortSignal.any([context.caller.signal, parts.closing])
  await writeEvents(raw, opened.events, dialect, pace, ended)
}

/** The head of a subscription, as tRPC sends it. */
const subscriptionHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** What a client is told before the first event. */
const connected = `event: connected\ndata: ${JSON.stringify(trpcOptions.sse.client)}\n\n`

/** The event of a subscription that has no id. */
export function plainFrame(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/**
 * The events of one reader as tRPC's clients read them; tRPC's own writer, of streams within streams, takes many times as
 * long. `shapeOf` makes what a failure is told as.
 */
function subscriptionDialect(frame: typeof plainFrame, shapeOf: (thrown: unknown) => object): Dialect {
  return {
    ping: 'event: ping\ndata: \n\n',
    last: () => 'event: return\ndata: \n\n',
    failed: (thrown) => `event: serialized-error\ndata: ${JSON.stringify(shapeOf(thrown))}\n\n`,
    frameOf(event) {
      if (!isTrackedEnvelope(event)) return frame(event)
      const [id, data] = event
      return `id: ${id}\n${frame(data)}`
    },
  }
}
