import { errorTable } from '../../contract/errors.ts'
import { bounds } from '../../contract/limits.ts'
import type { DomainError } from '../../domain/errors.ts'
import type { AnswerHeaders } from '../../gateway.ts'

export type RpcError = { code: number; message: string; data?: unknown }

/** The envelope's own failures, before any operation is known. */
export const envelopeErrors = {
  parse: { code: -32700, message: 'The body is not JSON.' },
  request: {
    code: -32600,
    message: 'Send an object with jsonrpc "2.0", a method name, and params as a list or an object.',
  },
  emptyBatch: { code: -32600, message: 'The batch is empty; send at least one request.' },
  longBatch: { code: -32600, message: `The batch is longer than ${bounds.rpcBatchMessages} requests; split it.` },
  fullBatch: {
    code: errorTable.LIMIT_EXCEEDED.jsonRpc,
    message: `The answers of the batch are longer than ${bounds.rpcBatchCharacters / 1_048_576} MiB; send this request by itself.`,
    data: { limit: bounds.rpcBatchCharacters, reset: null },
  },
  tooLarge: { code: -32600, message: 'The body is larger than 1 MiB; send less at once.' },
  mediaType: { code: -32600, message: 'Send the body as application/json in UTF-8.' },
  httpMethod: { code: -32600, message: 'Send JSON-RPC by POST.' },
  needsSocket: { code: -32004, message: 'This method needs a WebSocket connection.' },
  subscriptionId: { code: -32602, message: 'Send the id of the subscription as the only parameter.' },
} as const satisfies Record<string, RpcError>

/** Why a request for a socket is refused. */
export const handshakeErrors = {
  closing: { code: -32002, message: 'The server is closing; connect again.' },
  path: { code: -32600, message: 'JSON-RPC is served at /.' },
  origin: { code: -32002, message: 'Web pages of this origin may not connect; CORS_ORIGINS lists those that may.' },
  handshake: { code: -32600, message: 'This is not a WebSocket handshake of version 13.' },
} as const satisfies Record<string, RpcError>

export function tooManySockets(limit: number): RpcError {
  const message = `At most ${limit} sockets are open from one address; close one first, or share it.`
  return { code: errorTable.RATE_LIMITED.jsonRpc, message, data: { limit, reset: null } }
}

export const tooManySubscriptions: RpcError = {
  code: errorTable.RATE_LIMITED.jsonRpc,
  message: `At most ${bounds.socketSubscriptions} subscriptions a connection; end one, or open another connection.`,
  data: { limit: bounds.socketSubscriptions, reset: null },
}

export function unknownMethod(method: string, requestId: string): RpcError {
  const name = method.slice(0, 80).toWellFormed()
  return { code: -32601, message: `The method ${name} does not exist.`, data: { request_id: requestId } }
}

export function brokenSide(requestId: string): RpcError {
  const message = `Something broke on our side; report request id ${requestId}.`
  return { code: errorTable.INTERNAL.jsonRpc, message, data: { request_id: requestId } }
}

/** The JSON-RPC error of a domain error: a revert carries its bytes as `data`, a limit `{limit, reset}`. */
export function rpcErrorOf(error: DomainError, requestId: string, headers: AnswerHeaders): RpcError {
  return { code: errorTable[error.code].jsonRpc, message: error.message, data: dataOf(error, requestId, headers) }
}

function dataOf(error: DomainError, requestId: string, headers: AnswerHeaders): unknown {
  const { violations, metadata } = error.details
  if (error.code === 'EXECUTION_REVERTED' && metadata?.data !== undefined) return metadata.data
  // A limit on how many there are, or on how much at once, is not lifted by time.
  if (errorTable[error.code].jsonRpc === errorTable.RATE_LIMITED.jsonRpc && metadata?.limit !== undefined)
    return { limit: Number(metadata.limit), reset: null }
  if (error.code === 'RATE_LIMITED') {
    return { limit: numberOf(headers['x-ratelimit-limit']), reset: numberOf(headers['x-ratelimit-reset']) }
  }
  return {
    code: error.code,
    request_id: requestId,
    ...(violations === undefined ? {} : { errors: violations }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
