import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError, unexpectedError } from '../../domain/core/errors.ts'
import { requestIdOf } from '../caller.ts'
import { detailsKey, statusOf } from './errors.ts'
import { closeStream } from './library-internals.ts'

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

const idKey = 'x-request-id'

/**
 * Adds a request id to the headers and trailers of every call, and details to every refusal. A call whose message has not
 * arrived after `arrivalMs` is ended. A refused call releases its HTTP/2 stream, so that idle calls cannot exhaust a
 * connection.
 */
export function identified(arrivalMs: number): ServerInterceptor {
  return ({ requestStream }, call) => identify(call, requestStream, arrivalMs)
}

function identify(call: ServerInterceptingCallInterface, requestStream: boolean, arrivalMs: number) {
  let requestId = requestIdOf(undefined)
  let begun = false
  // For a message that is too large and for a passed deadline grpc-js ends the innermost call itself; no responder sees that.
  const send = call.sendStatus.bind(call)
  const late = setTimeout(() => call.sendStatus(statusOf(tooLate(arrivalMs), {}, requestId)), arrivalMs).unref()
  call.sendStatus = (sent) => {
    clearTimeout(late)
    send(completed(sent, requestId))
    if (!begun) closeStream(call)
  }
  const begin = () => {
    begun = true
    clearTimeout(late)
  }
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMessage(message, deliver) {
          // A call with one message begins once the client has ended its side, a call with several with the first message.
          if (requestStream) begin()
          deliver(message)
        },
        onReceiveHalfClose(deliver) {
          begin()
          deliver()
        },
        onCancel: () => clearTimeout(late),
        onReceiveMetadata(metadata, deliver) {
          requestId = requestIdOf(metadata.get(idKey)[0]?.toString())
          metadata.set(idKey, requestId)
          deliver(metadata)
        },
      })
    },
    sendMetadata(metadata, next) {
      metadata.set(idKey, requestId)
      next(metadata)
    },
  })
}

function tooLate(arrivalMs: number): DomainError {
  const message = `The message of the call did not arrive within ${arrivalMs / 1_000} s. Send it at once and end the stream.`
  return new DomainError('DEADLINE_EXCEEDED', message)
}

/**
 * A status with a request id and details. Its message is made well-formed: grpc-js escapes it in an event, where a lone
 * surrogate would end the process.
 */
function completed(sent: SentStatus, requestId: string): SentStatus {
  const complete = sent.code === status.OK || (sent.metadata?.get(detailsKey).length ?? 0) > 0
  const rich = complete ? sent : statusOf(libraryError(sent.code, requestId), {}, requestId)
  const metadata = rich.metadata ?? new Metadata()
  metadata.set(idKey, requestId)
  return { ...rich, details: rich.details?.toWellFormed() ?? '', metadata }
}

/** The error of a status that grpc-js or the health service sends. */
function libraryError(code: status, requestId: string): DomainError {
  const known = libraryErrors[code]
  return known === undefined ? unexpectedError(requestId) : new DomainError(...known)
}

const libraryErrors: Partial<Record<status, [ErrorCode, string]>> = {
  [status.CANCELLED]: ['CANCELLED', 'The call was cancelled before its response was ready.'],
  [status.DEADLINE_EXCEEDED]: [
    'DEADLINE_EXCEEDED',
    'The deadline passed before the response was ready. Allow more time.',
  ],
  [status.NOT_FOUND]: ['NOT_FOUND', 'The service is unknown. Server reflection lists the known services.'],
  [status.RESOURCE_EXHAUSTED]: ['PAYLOAD_TOO_LARGE', 'The message is larger than 1 MiB. Send less at once.'],
  [status.UNIMPLEMENTED]: ['UNIMPLEMENTED', 'Send exactly one message, uncompressed or compressed by gzip or deflate.'],
  [status.INTERNAL]: ['MALFORMED_REQUEST', 'The message cannot be read. Check its compression and the grpc-timeout.'],
}
