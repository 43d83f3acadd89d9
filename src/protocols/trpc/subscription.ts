import { isTrackedEnvelope } from '@trpc/server'
import type { Dialect } from '../event-stream.ts'
import { trpcOptions } from './dependencies.ts'

/** The head of a subscription, as tRPC sends it. */
export const subscriptionHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** What a client is told before the first event. */
export const connected = `event: connected\ndata: ${JSON.stringify(trpcOptions.sse.client)}\n\n`

/** The event of a subscription that has no id. */
export function plainFrame(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/**
 * The events of one reader as tRPC's clients read them; tRPC's own writer, of streams within streams, takes many times as
 * long. `shapeOf` makes what a failure is told as.
 */
export function subscriptionDialect(frame: typeof plainFrame, shapeOf: (thrown: unknown) => object): Dialect {
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
