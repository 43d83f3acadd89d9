import type { RateRules, Tier } from '../contract/shared/limits.ts'
import type { Operation } from '../contract/shared/operation.ts'
import type { AnyHandler } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import type { RateLimits, Settle, WorkLimits } from './rate-limits.ts'
import type { ProtocolName, RequestObserver, TraceParent, WatchedRequest } from './request-observer.ts'

/** A known API key. `id` is a digest, which reveals nothing of the key in logs and metrics. */
type ApiKey = { id: string; tier: Tier }

/** How the gateway treats a protocol. */
export type Protocol = {
  name: ProtocolName
  /** False where outputs pass through unchecked: a node may return more than the contract declares, and clients rely on it. */
  checksOutput: boolean
  /** False where the protocol limits the streams of a connection by itself. */
  limitsStreams: boolean
}

/** What every protocol knows about a request before its input is read. */
export type Caller = {
  protocol: Protocol
  /** The bearer token as sent, without the word Bearer. */
  token: string | null
  /** True where an authorization header was sent that is not the word Bearer and a token. */
  isUnread: boolean
  /** Null where none was sent: the free tier. An unknown key is refused, so that a mistyped key is not served as the free tier. */
  apiKey: ApiKey | 'unknown' | null
  clientAddress: string
  /** The same where it is the client's alone; null where a proxy that is not trusted stands before it. */
  ownAddress: string | null
  /** A web page of another origin may have sent it without permission: by a GET, which needs none. */
  isForeign?: boolean
  /** Bytes of its body; absent without one. A refused request counts as work by them. */
  bytes?: number
  requestId: string
  /** The caller's own trace; null where it sent none. */
  traceParent: TraceParent | null
  signal: AbortSignal
}

/** The tier of a caller's API key; `free` without a known one. */
export function tierOf({ apiKey }: Caller): Tier {
  return apiKey === null || apiKey === 'unknown' ? 'free' : apiKey.tier
}

/** Header names in lower case; gRPC sends them as metadata. */
export type ResponseHeaders = Record<string, string>

/** Calls one of the operation's `parts`, which shares its count and its scope. Throws DomainError. */
type CallPart = (id: string, input: unknown) => Promise<unknown>

/** Decodes the input of a request, once its caller is known and counted. Throws DomainError. */
export type ReadInput = () => unknown

/** The same for an input for which parts have to be called; a promise where one was. */
export type ReadByParts = (part: CallPart) => unknown

/** The parts of a gateway. */
export type GatewayParts = {
  operations: ReadonlyMap<string, Operation>
  handlers: ReadonlyMap<string, AnyHandler>
  ports: Ports
  limiter: Limiter
  rules: RateRules | 'off'
  /** Recognises the operator by its token. Nothing else does: a proxy makes every request look local. */
  isOperator: (token: string) => boolean
  observer: RequestObserver
}

/** An operation with its handler and the check of its output. */
export type Served = { operation: Operation; handler: AnyHandler; check: (output: unknown) => unknown }

/** What the steps of a request share. */
export type Context = GatewayParts & { served: ReadonlyMap<string, Served>; limit: RateLimits } & WorkLimits

/** One request on its way through the gateway. */
export type Request = {
  id: string
  caller: Caller
  /** Set step by step. A refusal has the headers that were set before it. */
  headers: ResponseHeaders
  watched: WatchedRequest
  /** Number of the caller's account, once it is known. */
  account: number | null
  /** Tells the rate whether the request succeeded; null before it is counted. */
  settle: Settle | null
}
