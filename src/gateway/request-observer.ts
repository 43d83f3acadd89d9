import type { ErrorCode } from '../contract/shared/errors.ts'

/** The protocols of the gateway. */
export type ProtocolName = 'rest' | 'trpc' | 'grpc' | 'jsonrpc' | 'mcp'

/** The position in a caller's trace (W3C Trace Context): hexadecimal ids, and whether the caller records it. */
export type TraceParent = { traceId: string; spanId: string; sampled: boolean }

/** Receives the events of the gateway, for logs, metrics and traces. Never throws. */
export type RequestObserver = {
  /** A request has begun; `finished` of the result ends it, once. */
  begun(request: {
    operation: string
    protocol: ProtocolName
    requestId: string
    traceParent: TraceParent | null
  }): WatchedRequest
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** One request, from its authentication to its last event. */
export type WatchedRequest = {
  /** Runs a part of its work, so that everything which that calls is traced as part of this request. */
  run<T>(work: () => T): T
  /** The request has opened a stream. */
  opened(): void
  /** `account` is the number of the caller's account; null where it is unknown. */
  finished(code: ErrorCode | 'OK', account: number | null): void
}

/** The events, each produced as part of the request that opened the stream. */
export function eventsWithin(watched: WatchedRequest, events: AsyncIterable<unknown>): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const made = events[Symbol.asyncIterator]()
      return {
        next: () => watched.run(() => made.next()),
        return: async () => (await watched.run(() => made.return?.())) ?? { done: true, value: undefined },
      }
    },
  }
}
