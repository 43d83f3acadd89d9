import { DomainError } from '../../domain/core/errors.ts'
import { untilAborted } from '../../domain/core/until-aborted.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Caller, ResponseHeaders } from '../../gateway/request.ts'
import { idOf, streamClosing } from '../closing.ts'
import { readInTime, type SlowReader } from '../streams.ts'
import { trpcErrorOf } from './errors.ts'

/** What a procedure knows of its request. */
export type TrpcContext = {
  gateway: Gateway
  caller: Caller
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  /** True where the client reads a stream; another one would leave its response unread. */
  streaming: boolean
  /** How a stream treats a reader that does not read; null where the writer of the stream checks that. */
  slowReader: SlowReader | null
  /** Collects the headers of every response in a batch. */
  headers: ResponseHeaders
}

/** What the generated router calls: the gateway, whose errors become those of tRPC. */
export const trpcDependencies = {
  async call(id: string, input: unknown, context: TrpcContext): Promise<unknown> {
    const result = await context.gateway.call(id, () => readable(input), context.caller)
    merge(context.headers, result.headers)
    if (!result.ok) throw trpcErrorOf(result.error)
    return result.output
  },
  /** Opens a stream. A subscription sends its headers afterwards, a batch has already sent them. */
  async open(id: string, input: unknown, context: TrpcContext): Promise<AsyncGenerator<unknown, void, undefined>> {
    if (!context.streaming) throw trpcErrorOf(new DomainError('UNSUPPORTED_MEDIA_TYPE', notStreaming))
    const signal = AbortSignal.any([context.caller.signal, context.closing])
    const opened = await context.gateway.open(id, () => readable(input), { ...context.caller, signal })
    merge(context.headers, opened.headers)
    if (!opened.ok) throw trpcErrorOf(opened.error)
    const events = untilAborted(opened.events, signal)
    return translated(context.slowReader === null ? events : readInTime(events, context.slowReader), context.closing)
  },
}

/** The input of a call; throws the error by which it is refused, now that its caller is known and counted. */
function readable(input: unknown): unknown {
  if (input instanceof DomainError) throw input
  return input ?? {}
}

const notStreaming =
  'The response is a stream. Call it through httpBatchStreamLink, or a subscription through httpSubscriptionLink.'

async function* translated(events: AsyncGenerator<unknown, void, undefined>, closing: AbortSignal) {
  let cursor: string | null = null
  try {
    for await (const event of events) {
      if (!closing.aborted) cursor = idOf(event)
      yield event
    }
    if (closing.aborted) throw streamClosing(cursor)
  } catch (thrown) {
    throw thrown instanceof DomainError ? trpcErrorOf(thrown) : thrown
  }
}

/** The calls of a batch share a response: later headers replace earlier ones, but for those that list fields. */
function merge(headers: Record<string, string>, more: ResponseHeaders): void {
  const [before, after] = [headers['x-ignored-fields'], more['x-ignored-fields']]
  Object.assign(headers, more)
  if (before !== undefined && after !== undefined) headers['x-ignored-fields'] = `${before}, ${after}`
}
