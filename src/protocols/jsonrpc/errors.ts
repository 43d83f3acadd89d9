import { type ErrorCode, errorTable, rpcCodeOf, rpcMessage, unknownApiKey } from '../../contract/shared/errors.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { type DomainError, unexpectedError } from '../../domain/core/errors.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'
import { hostRefusalText } from '../door.ts'

export type RpcError = { code: number; message: string; data?: unknown }

function rpcError(code: number, reason: string, data?: unknown): RpcError {
  const message = rpcMessage(code, reason)
  return data === undefined ? { code, message } : { code, message, data }
}

/** Errors of the envelope, before any operation is known. */
export const envelopeErrors = {
  parse: rpcError(-32700, 'The body is not JSON.'),
  emptyBody: rpcError(
    -32600,
    'The body is empty. Send an object with jsonrpc "2.0", method, params and id, or a list of them.',
  ),
  silentStream: rpcError(-32600, 'id is missing. A subscription can be ended only by the id in its response.'),
  emptyBatch: rpcError(-32600, 'The batch is empty. Send at least one request.'),
  longBatch: rpcError(-32600, `The batch is longer than ${bounds.rpcBatchMessages} requests. Split it.`),
  tooLarge: rpcError(-32600, 'The body is larger than 1 MiB. Send less at once.'),
  mediaType: rpcError(-32600, 'Send the body as application/json in UTF-8.'),
  httpMethod: rpcError(-32600, 'Send JSON-RPC by POST.'),
  path: rpcError(-32600, 'JSON-RPC is served at /.'),
  needsSocket: rpcError(-32004, 'This method needs a WebSocket connection.'),
  subscriptionId: rpcError(-32602, 'Send the id of the subscription as the only parameter.'),
}

/** The error of an invalid request, with the reason. */
export function invalidRequest(fault: string): RpcError {
  return rpcError(-32600, `${fault}.`)
}

const refusedCode = errorTable.PERMISSION_DENIED.jsonRpc

/** Errors of a WebSocket handshake. */
export const handshakeErrors = {
  closing: rpcError(errorTable.UNAVAILABLE.jsonRpc, 'The server is closing. Connect again.'),
  origin: rpcError(refusedCode, 'Web pages of this origin may not connect. CORS_ORIGINS lists the origins that may.'),
  apiKey: rpcError(errorTable.UNAUTHENTICATED.jsonRpc, unknownApiKey),
  handshake: rpcError(-32600, 'This is not a WebSocket handshake of version 13.'),
}

/** The refusal of a Host header. */
export const hostError = (header: string | undefined) => rpcError(refusedCode, hostRefusalText(header))

/** Errors of limits that do not reset with time. */
export const overLimit = {
  sockets: (limit: number, requestId: string) =>
    limited('RATE_LIMITED', `At most ${limit} sockets can be open from one address. Close one first, or share one.`, {
      limit,
      requestId,
    }),
  subscriptions: (requestId: string) =>
    limited(
      'RATE_LIMITED',
      `A connection can have at most ${bounds.subscriptions} subscriptions. End one, or open another connection.`,
      { limit: bounds.subscriptions, requestId },
    ),
  batch: (requestId: string) =>
    limited(
      'LIMIT_EXCEEDED',
      `The responses of the batch are longer than ${bounds.rpcBatchCharacters / 1_048_576} MiB. Send this request alone.`,
      { limit: bounds.rpcBatchCharacters, requestId },
    ),
}

function limited(
  code: ErrorCode,
  message: string,
  { limit, requestId }: { limit: number; requestId: string },
): RpcError {
  return rpcError(errorTable[code].jsonRpc, message, { limit, reset: null, code, request_id: requestId })
}

export function unknownMethod(method: string, requestId: string): RpcError {
  const name = method.slice(0, 80).toWellFormed()
  return rpcError(-32601, `${name} does not exist. rpc.discover lists the known methods.`, { request_id: requestId })
}

export function unexpectedFailure(requestId: string): RpcError {
  const { message } = unexpectedError(requestId)
  return rpcError(errorTable.INTERNAL.jsonRpc, message, { request_id: requestId })
}

/** Errors whose `data` is one value, as in other nodes: the bytes of a revert, or the hash of a pending transaction. */
const bareData: ReadonlySet<ErrorCode> = new Set(['EXECUTION_REVERTED', 'NOT_INCLUDED_YET'])

/** The JSON-RPC error of a domain error; the `data` of a limit has `{limit, reset}`. */
export function rpcErrorOf(error: DomainError, requestId: string, headers: ResponseHeaders): RpcError {
  const code = rpcCodeOf(error.code, error.details.metadata)
  return rpcError(code, error.message, dataOf(error, requestId, headers))
}

/** The code of a domain error, where the error was made from one. */
export function codeOf({ data }: RpcError): unknown {
  return typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
}

function dataOf(error: DomainError, requestId: string, headers: ResponseHeaders): unknown {
  const { violations, metadata } = error.details
  if (bareData.has(error.code) && metadata?.data !== undefined) return metadata.data
  return {
    ...limitOf(error, headers),
    code: error.code,
    request_id: requestId,
    ...(violations === undefined ? {} : { errors: violations }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** A limit and the time when it resets; null for a limit on a number or a size, which does not reset with time. */
function limitOf(
  { code, details }: DomainError,
  headers: ResponseHeaders,
): { limit?: number | null; reset?: number | null } {
  if (errorTable[code].jsonRpc !== errorTable.RATE_LIMITED.jsonRpc) return {}
  if (details.metadata?.limit !== undefined) return { limit: Number(details.metadata.limit), reset: null }
  if (code !== 'RATE_LIMITED') return {}
  const rate = headers['x-ratelimit-work-remaining'] === '0' ? 'x-ratelimit-work' : 'x-ratelimit'
  return { limit: numberOf(headers[`${rate}-limit`]), reset: numberOf(headers[`${rate}-reset`]) }
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
