import { type ErrorCode, errorTable, unknownApiKey } from '../../contract/shared/errors.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { type DomainError, unexpectedError } from '../../domain/core/errors.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'

export type RpcError = { code: number; message: string; data?: unknown }

/** Errors of the envelope, before any operation is known. */
export const envelopeErrors = {
  parse: { code: -32700, message: 'The body is not JSON.' },
  emptyBody: {
    code: -32600,
    message: 'The body is empty. Send an object with jsonrpc "2.0", method, params and id, or a list of them.',
  },
  silentStream: { code: -32600, message: 'id is missing. A subscription can be ended only by the id in its response.' },
  emptyBatch: { code: -32600, message: 'The batch is empty. Send at least one request.' },
  longBatch: { code: -32600, message: `The batch is longer than ${bounds.rpcBatchMessages} requests. Split it.` },
  tooLarge: { code: -32600, message: 'The body is larger than 1 MiB. Send less at once.' },
  mediaType: { code: -32600, message: 'Send the body as application/json in UTF-8.' },
  httpMethod: { code: -32600, message: 'Send JSON-RPC by POST.' },
  needsSocket: { code: -32004, message: 'This method needs a WebSocket connection.' },
  subscriptionId: { code: -32602, message: 'Send the id of the subscription as the only parameter.' },
} as const satisfies Record<string, RpcError>

/** The error of an invalid request, with the reason. */
export function invalidRequest(fault: string): RpcError {
  return { code: -32600, message: `Invalid Request: ${fault}.` }
}

/** Errors of a WebSocket handshake. */
export const handshakeErrors = {
  closing: { code: -32002, message: 'The server is closing. Connect again.' },
  path: { code: -32600, message: 'JSON-RPC is served at /.' },
  origin: {
    code: -32002,
    message: 'Web pages of this origin may not connect. CORS_ORIGINS lists the origins that may.',
  },
  host: {
    code: errorTable.PERMISSION_DENIED.jsonRpc,
    message: 'This host name is not served. The operator can add it to ALLOWED_HOSTS.',
  },
  apiKey: { code: errorTable.UNAUTHENTICATED.jsonRpc, message: unknownApiKey },
  handshake: { code: -32600, message: 'This is not a WebSocket handshake of version 13.' },
} as const satisfies Record<string, RpcError>

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
  return { code: errorTable[code].jsonRpc, message, data: { limit, reset: null, code, request_id: requestId } }
}

export function unknownMethod(method: string, requestId: string): RpcError {
  const name = method.slice(0, 80).toWellFormed()
  return {
    code: -32601,
    message: `The method ${name} does not exist. rpc.discover lists the known methods.`,
    data: { request_id: requestId },
  }
}

export function unexpectedFailure(requestId: string): RpcError {
  const { message } = unexpectedError(requestId)
  return { code: errorTable.INTERNAL.jsonRpc, message, data: { request_id: requestId } }
}

/** Errors whose `data` is one value, as in other nodes: the bytes of a revert, or the hash of a pending transaction. */
const bareData: ReadonlySet<ErrorCode> = new Set(['EXECUTION_REVERTED', 'NOT_INCLUDED_YET'])

/** The JSON-RPC error of a domain error; the `data` of a limit has `{limit, reset}`. */
export function rpcErrorOf(error: DomainError, requestId: string, headers: ResponseHeaders): RpcError {
  return { code: errorTable[error.code].jsonRpc, message: error.message, data: dataOf(error, requestId, headers) }
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
  return { limit: numberOf(headers['x-ratelimit-limit']), reset: numberOf(headers['x-ratelimit-reset']) }
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
