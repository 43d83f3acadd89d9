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
 * long. `lastId` is of the last event that the reader saw before; `shapeOf` makes what a failure is told as.
 */
export function subscriptionDialect(
  frame: typeof plainFrame,
  lastId: string | null,
  shapeOf: (thrown: unknown) => object,
): Dialect {
  let last = lastId
  return {
    ping: 'event: ping\ndata: \n\n',
    last: () => 'event: return\ndata: \n\n',
    failed: (thrown) => `event: serialized-error\ndata: ${JSON.stringify(shapeOf(thrown))}\n\n`,
    frameOf(event) {
      if (isTrackedEnvelope(event)) {
        const [id, data] = event
        last = id
        return `id: ${id}\n${frame(data)}`
      }
      // An id stays with a client until the next one: an event without any must not pass for that one.
      return last === null ? frame(event) : `id: \n${frame(event)}event: restore-id\ndata: \nid: ${last}\n\n`
    },
  }
}
