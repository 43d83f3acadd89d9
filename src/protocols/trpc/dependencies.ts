import { DomainError } from '../../domain/core/errors.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { AnswerHeaders, Caller } from '../../gateway/request.ts'
import { type Patience, readInTime, untilAborted } from '../streams.ts'
import { trpcErrorOf } from './errors.ts'

/** What a procedure knows of its request. */
export type TrpcContext = {
  gateway: Gateway
  caller: Caller
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  /** True where the client reads a stream; another one would leave its answer unread. */
  streaming: boolean
  /** How long a stream waits for its reader; null where what writes it keeps that time. */
  patience: Patience | null
  /** Collects the headers of every answer in a batch. */
  headers: AnswerHeaders
}

/** What the generated router calls: the gateway, with failures thrown as tRPC knows them. */
export const trpcDependencies = {
  async call(id: string, input: unknown, context: TrpcContext): Promise<unknown> {
    const answer = await context.gateway.call(id, () => input ?? {}, context.caller)
    Object.assign(context.headers, answer.headers)
    if (!answer.ok) throw trpcErrorOf(answer.error)
    return answer.output
  },
  /** Opened before the first event. A subscription's head waits for it and has its headers; a batch's has gone out. */
  async open(id: string, input: unknown, context: TrpcContext): Promise<AsyncGenerator<unknown, void, undefined>> {
    if (!context.streaming) throw trpcErrorOf(new DomainError('UNSUPPORTED_MEDIA_TYPE', notStreaming))
    const signal = AbortSignal.any([context.caller.signal, context.closing])
    const opened = await context.gateway.open(id, () => input ?? {}, { ...context.caller, signal })
    Object.assign(context.headers, opened.headers)
    if (!opened.ok) throw trpcErrorOf(opened.error)
    const events = untilAborted(opened.events, signal)
    return translated(context.patience === null ? events : readInTime(events, context.patience), context.closing)
  },
}

const notStreaming =
  'This answer is a stream: call it through httpBatchStreamLink, or a subscription through httpSubscriptionLink.'

/** Settings of the router: no stack in an error, and heartbeats of subscriptions and of streams out of mutations. */
export const trpcOptions = {
  isDev: false,
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 45_000 } },
  jsonl: { pingMs: 15_000 },
}

async function* translated(events: AsyncGenerator<unknown, void, undefined>, closing: AbortSignal) {
  try {
    yield* events
    if (closing.aborted)
      throw new DomainError('UNAVAILABLE', 'The server is closing; open the stream again from its last event.')
  } catch (thrown) {
    throw thrown instanceof DomainError ? trpcErrorOf(thrown) : thrown
  }
}
