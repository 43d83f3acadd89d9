import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js'
import type { ErrorCode } from '../../contract/errors.ts'
import { DomainError } from '../../domain/errors.ts'
import { requestIdOf } from '../caller.ts'
import { detailsKey, statusOf } from './errors.ts'

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

const idKey = 'x-request-id'

/**
 * Gives every call a request id, which its head and trailers carry, and every refusal its details. A call whose message
 * has not come after `arrivalMs` is ended, so that a connection holds no calls that never begin.
 */
export function accountable(arrivalMs: number): ServerInterceptor {
  return (_method, call) => account(call, arrivalMs)
}

function account(call: ServerInterceptingCallInterface, arrivalMs: number): ServerInterceptingCall {
  let requestId = requestIdOf(undefined)
  // A message too large or a deadline makes grpc-js itself end the innermost call, which no responder below would see.
  const send = call.sendStatus.bind(call)
  const late = setTimeout(() => call.sendStatus(statusOf(tooLate(arrivalMs), {}, requestId)), arrivalMs).unref()
  call.sendStatus = (sent) => {
    clearTimeout(late)
    send(accounted(sent, requestId))
  }
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMessage(message, deliver) {
          clearTimeout(late)
          deliver(message)
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
  const sentence = `The message of the call did not come within ${arrivalMs / 1_000} s; send it at once.`
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
  return known === undefined
    ? new DomainError('INTERNAL', `Something broke on our side; report request id ${requestId}.`)
    : new DomainError(...known)
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
