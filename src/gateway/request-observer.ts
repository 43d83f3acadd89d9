import type { ErrorCode } from '../contract/shared/errors.ts'

/** The four ways into the gateway. */
export type ProtocolName = 'rest' | 'trpc' | 'grpc' | 'jsonrpc'

/** Where a caller's own trace stands (W3C Trace Context): hexadecimal ids, and whether the caller records it. */
export type TraceParent = { traceId: string; spanId: string; sampled: boolean }

/** What the gateway tells whoever watches it; nothing here throws. */
export type RequestObserver = {
  /** A request has come in; `finished` of what is answered ends it, once. */
  begun(request: {
    operation: string
    protocol: ProtocolName
    requestId: string
    traceParent: TraceParent | null
  }): WatchedRequest
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** One request, from the first look at its caller to its last event. */
export type WatchedRequest = {
  /** Does a piece of its work: what that calls is known to be part of this request. */
  run<T>(work: () => T): T
  /** It is a stream, which is open from here to its end. */
  opened(): void
  /** `account` is the number of the caller's account; null where nobody is known. */
  finished(code: ErrorCode | 'OK', account: number | null): void
}

/** The events, each of them made as part of the request that opened them. */
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
