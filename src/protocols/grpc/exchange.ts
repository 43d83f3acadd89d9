import type { Metadata, StatusObject } from '@grpc/grpc-js'
import { DomainError, unexpectedError } from '../../domain/core/errors.ts'
import { untilAborted } from '../../domain/core/until-aborted.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Caller, ResponseHeaders } from '../../gateway/request.ts'
import { type Callers, requestIdOf } from '../caller.ts'
import { idOf, streamClosing } from '../closing.ts'
import { grpcProtocol } from '../protocols.ts'
import { inTime } from '../streams.ts'
import { encodedWithin, sizeKey, sizeTaken } from './answer-size.ts'
import { metadataOf, statusOf } from './errors.ts'
import type { GrpcMethod } from './method.ts'

/** What all calls have in common. */
type IncomingCall = NodeJS.EventEmitter & {
  metadata: Metadata
  cancelled: boolean
  getPeer(): string
  sendMetadata(metadata: Metadata): void
}

/** A call with one request message, as it was sent. */
type RequestCall = IncomingCall & { request: Buffer }

type OutgoingStream = RequestCall & { write(chunk: Buffer, flushed: () => void): boolean; end(): unknown }

export type ExchangeParts = {
  gateway: Gateway
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  /** Milliseconds without a read after which a stream is ended. */
  slowReaderMs: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** Serves one unary call. Never throws: a failure is returned as a status. */
export async function serveUnary(
  parts: ExchangeParts,
  method: GrpcMethod,
  call: RequestCall,
): Promise<{ bytes: Buffer; trailer: Metadata } | StatusObject> {
  const caller = callerOf(parts.callers, call, call.request.length)
  const asked = askedBy(method, call)
  const result = await parts.gateway.call(method.id, asked.read, caller)
  if (!result.ok) return refuse(call, caller, result.error, result.headers)
  try {
    const bytes = encodedWithin(asked.takes(), method, result.output)
    if (!call.cancelled) call.sendMetadata(metadataOf(result.headers))
    return { bytes, trailer: metadataOf(result.headers) }
  } catch (thrown) {
    return refuse(call, caller, sendingError(parts, method, caller, thrown), result.headers)
  }
}

/** Serves one stream to its end. Returns null where it succeeded, else the status to end it with. */
export async function serveStream(
  parts: ExchangeParts,
  method: GrpcMethod,
  call: OutgoingStream,
): Promise<StatusObject | null> {
  const caller = callerOf(parts.callers, call, call.request.length)
  const signal = AbortSignal.any([caller.signal, parts.closing])
  const asked = askedBy(method, call)
  const opened = await parts.gateway.open(method.id, asked.read, { ...caller, signal })
  if (!opened.ok) return refuse(call, caller, opened.error, opened.headers)
  if (!call.cancelled) call.sendMetadata(metadataOf(opened.headers))
  const outgoing = boundedWrites(call)
  let cursor: string | null = null
  try {
    for await (const event of untilAborted(opened.events, signal)) {
      const full = outgoing.write(encodedWithin(asked.takes(), method, event))
      cursor = idOf(event)
      if (full !== null) await inTime(full, signal, parts.slowReaderMs)
    }
    await inTime(outgoing.drained(), signal, parts.slowReaderMs)
    if (!parts.closing.aborted) return null
    throw streamClosing(cursor)
  } catch (thrown) {
    return statusOf(sendingError(parts, method, caller, thrown), opened.headers, caller.requestId)
  }
}

/** Returns a function that counts a message of a call that is no operation; the status of a refusal, else null. */
export function messageCounter(
  { gateway, callers }: Pick<ExchangeParts, 'gateway' | 'callers'>,
  call: IncomingCall,
): () => Promise<StatusObject | null> {
  const caller = callerOf(callers, call)
  return async () => {
    const counted = await gateway.count('grpc.reflection', caller, 'OK')
    return counted.ok ? null : refuse(call, caller, counted.error, counted.headers)
  }
}

function refuse(call: IncomingCall, caller: Caller, error: DomainError, headers: ResponseHeaders): StatusObject {
  if (!call.cancelled) call.sendMetadata(metadataOf({}))
  return statusOf(error, headers, caller.requestId)
}

/** Created once, because grpc-js reports every call that has ended, successful or not, as cancelled. */
const disconnected = new DOMException('The caller disconnected.', 'AbortError')

function callerOf(callers: Callers, call: IncomingCall, bytes = 0): Caller {
  const disconnecting = new AbortController()
  call.once('cancelled', () => disconnecting.abort(disconnected))
  if (call.cancelled) disconnecting.abort(disconnected)
  const header = (name: string) => call.metadata.get(name)[0]?.toString()
  const origin = { peer: peerAddress(call.getPeer()), header }
  const facts = {
    protocol: grpcProtocol,
    requestId: requestIdOf(header('x-request-id')),
    signal: disconnecting.signal,
  }
  return { ...callers.of(origin, facts), bytes }
}

/** The address of a peer, which grpc-js writes as `1.2.3.4:5` or `[::1]:5`. */
function peerAddress(peer: string): string {
  return peer
    .replace(/^(ipv[46]:)/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

/** The request of a call. `read` checks and decodes it; `takes` is then the longest message that its caller takes. */
function askedBy(method: GrpcMethod, call: RequestCall): { read: () => unknown; takes: () => number } {
  let taken = 0
  return {
    read() {
      taken = sizeTaken(call.metadata.get(sizeKey)[0]?.toString())
      return decoded(method, call.request)
    },
    takes: () => taken,
  }
}

function decoded(method: GrpcMethod, bytes: Buffer): unknown {
  try {
    return method.decodeRequest(bytes)
  } catch (cause) {
    const message = `The bytes cannot be decoded as the request of ${method.service}/${method.method}. Check them against its .proto file.`
    throw new DomainError('INVALID_ARGUMENT', message, {}, cause)
  }
}

/** The error of an answer that is not sent, or not to its end. */
function sendingError(parts: ExchangeParts, method: GrpcMethod, caller: Caller, error: unknown): DomainError {
  if (error instanceof DomainError) return error
  parts.unexpected({ operation: method.id, requestId: caller.requestId, error })
  return unexpectedError(caller.requestId, error)
}

/** Bytes that one stream may have written and its reader has not read yet; a longer message is written alone. */
const mostUnreadBytes = 16_384

/** Bounds the bytes of messages that a reader has not read yet: grpc-js itself would buffer 16 messages of any size. */
type BoundedWrites = {
  /** Writes a message. Returns a promise that settles once there is room for another, or null where there is room now. */
  write(bytes: Buffer): Promise<void> | null
  /** Settles once the reader has read all of them. */
  drained(): Promise<void>
}

export function boundedWrites(call: { write(chunk: Buffer, taken: () => void): boolean }): BoundedWrites {
  let waiting = 0
  let wanted = 0
  let room = Promise.withResolvers<void>()

  function below(bytes: number): Promise<void> {
    wanted = bytes
    room = Promise.withResolvers<void>()
    if (waiting <= wanted) room.resolve()
    return room.promise
  }

  return {
    write(bytes) {
      waiting += bytes.length
      call.write(bytes, () => {
        waiting -= bytes.length
        if (waiting <= wanted) room.resolve()
      })
      // Half of the bytes stay buffered, so that the reader need not wait while the next message is produced.
      return waiting < mostUnreadBytes ? null : below(mostUnreadBytes / 2)
    },
    drained: () => below(0),
  }
}
