import { constants, type ServerHttp2Stream } from 'node:http2'
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

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

const idKey = 'x-request-id'

/**
 * Gives every call a request id, which its head and trailers carry, and every refusal its details. A call that has not
 * begun after `arrivalMs` is ended, and one that is over leaves its place, so that a connection holds none of either.
 */
export function accountable(arrivalMs: number): ServerInterceptor {
  return ({ requestStream }, call) => account(call, requestStream, arrivalMs)
}

function account(call: ServerInterceptingCallInterface, requestStream: boolean, arrivalMs: number) {
  let requestId = requestIdOf(undefined)
  let begun = false
  // A message too large or a deadline makes grpc-js itself end the innermost call, which no responder below would see.
  const send = call.sendStatus.bind(call)
  const late = setTimeout(() => call.sendStatus(statusOf(tooLate(arrivalMs), {}, requestId)), arrivalMs).unref()
  call.sendStatus = (sent) => {
    clearTimeout(late)
    send(accounted(sent, requestId))
    if (!begun) leave(call)
  }
  const begin = () => {
    begun = true
    clearTimeout(late)
  }
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMessage(message, deliver) {
          // A call of one message begins once the client has ended its side, one of many with the first.
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

/**
 * Closes the stream of a call that was answered before it began, whose place its client could hold for as long as it does
 * not end its side. The innermost call keeps its stream to itself: grpc-js has no public place for this.
 */
function leave(call: ServerInterceptingCallInterface): void {
  const { stream } = call as unknown as { stream: ServerHttp2Stream }
  stream.close(constants.NGHTTP2_NO_ERROR)
}

function tooLate(arrivalMs: number): DomainError {
  const sentence = `The message of the call did not come within ${arrivalMs / 1_000} s; send it at once and end the stream.`
  return new DomainError('DEADLINE_EXCEEDED', sentence)
}

/** The sentence is made well-formed: grpc-js escapes it in an event, where half of a surrogate pair ends the process. */
function accounted(sent: SentStatus, requestId: string): SentStatus {
  const complete = sent.code === status.OK || (sent.metadata?.get(detailsKey).length ?? 0) > 0
  const told = complete ? sent : statusOf(libraryError(sent.code, requestId), {}, requestId)
  const metadata = told.metadata ?? new Metadata()
  metadata.set(idKey, requestId)
  return { ...told, details: told.details?.toWellFormed() ?? '', metadata }
}

/** What a status of grpc-js or the health service means, which say it in words of their own. */
function libraryError(code: status, requestId: string): DomainError {
  const known = libraryErrors[code]
  return known === undefined ? unexpectedError(requestId) : new DomainError(...known)
}

const libraryErrors: Partial<Record<status, [ErrorCode, string]>> = {
  [status.CANCELLED]: ['CANCELLED', 'The call was cancelled before its answer was ready.'],
  [status.DEADLINE_EXCEEDED]: [
    'DEADLINE_EXCEEDED',
    'The deadline passed before the answer was ready; allow more time.',
  ],
  [status.NOT_FOUND]: ['NOT_FOUND', 'There is no such service here; server reflection lists those there are.'],
  [status.RESOURCE_EXHAUSTED]: ['PAYLOAD_TOO_LARGE', 'The message is larger than 1 MiB; send less at once.'],
  [status.UNIMPLEMENTED]: ['UNIMPLEMENTED', 'Send exactly one message, compressed by gzip, by deflate or not at all.'],
  [status.INTERNAL]: ['MALFORMED_REQUEST', 'The message cannot be read; check its compression and the grpc-timeout.'],
}
