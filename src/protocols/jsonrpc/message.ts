import type { Operation, RpcBinding } from '../../contract/shared/operation.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Caller, ReadInput, ResponseHeaders } from '../../gateway/request.ts'
import { isRecord } from '../../kit/values.ts'
import { rpcFields } from '../rpc-fields.ts'
import { envelopeErrors, invalidRequest, type RpcError, rpcErrorOf, unknownMethod } from './errors.ts'

/** Methods by name and alias. */
type MethodTable = ReadonlyMap<string, { id: string; operation: Operation; rpc: RpcBinding }>

export type RpcContext = {
  gateway: Gateway
  methods: MethodTable
  /** Makes the OpenRPC document that rpc.discover returns, if any. */
  openrpc: (() => unknown) | undefined
  /** The JSON of an event, made once for all connections. */
  eventJson(event: unknown): string
  /** The subscriptions of the connection; null where the transport has no events. */
  subscriptions: Subscriptions | null
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type Subscriptions = {
  /** Opens a stream. Its events are sent after `begin` is called. */
  open(operation: string, read: ReadInput, caller: Caller): Promise<Outcome>
  /** False where this connection has no such subscription. */
  close(id: string): boolean
}

/** The outcome of a request. `begin` is called once its response is being sent, or cannot be sent any more. */
type Outcome = Result & { headers: ResponseHeaders; begin?: () => void }
type Result = { result: unknown } | { error: RpcError }

export type RpcResponse = { jsonrpc: '2.0'; id: unknown } & Result

/** The response to a message; null for a notification. */
export type MessageResponse = { response: RpcResponse | null; headers: ResponseHeaders; begin: () => void }

export function methodTable(operations: ReadonlyMap<string, Operation>): MethodTable {
  const rows = [...operations].flatMap(([id, operation]) => {
    const rpc = operation.rpc
    if (rpc === undefined) return []
    return [rpc.method, ...(rpc.aliases ?? [])].map((name) => [name, { id, operation, rpc }] as const)
  })
  return new Map(rows)
}

/** Responds to any message, independent of the transport. Never throws. */
export async function respondTo(context: RpcContext, message: unknown, caller: Caller): Promise<MessageResponse> {
  const request = requestOf(message)
  if ('fault' in request) return await respondToNone(context, idOf(message), invalidRequest(request.fault), caller)
  const { headers, begin = () => undefined, ...outcome } = await run(context, request, caller)
  const response: RpcResponse | null = 'id' in request ? { jsonrpc: '2.0', id: request.id, ...outcome } : null
  return { response, headers, begin }
}

/** Responds to what is no request. It is counted like all others, so that sending such is bounded. */
export async function respondToNone(
  { gateway }: RpcContext,
  id: unknown,
  fault: RpcError,
  caller: Caller,
): Promise<MessageResponse> {
  const { headers, ...counted } = await gateway.count('unknown', caller, 'MALFORMED_REQUEST')
  const error = counted.ok ? fault : rpcErrorOf(counted.error, caller.requestId, headers)
  return { response: failed(id, error), headers, begin: () => undefined }
}

/** Refuses a message without running it. */
export function refusedUnread(message: unknown, error: RpcError): MessageResponse {
  const isNotification = !('fault' in requestOf(message)) && !('id' in (message as object))
  return { response: isNotification ? null : failed(idOf(message), error), headers: {}, begin: () => undefined }
}

export function failed(id: unknown, error: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error }
}

async function run(context: RpcContext, request: Request, caller: Caller): Promise<Outcome> {
  const { gateway, methods, subscriptions } = context
  const method = methods.get(request.method)
  if (method === undefined) return await protocolMethod(context, request, caller)
  const { params } = request
  const read = () => rpcFields({ rpc: method.rpc, input: method.operation.input }, params)
  if (method.operation.kind === 'stream') {
    if (subscriptions === null) return { error: envelopeErrors.needsSocket, headers: {} }
    if (!('id' in request)) return { error: envelopeErrors.silentStream, headers: {} }
    return await subscriptions.open(method.id, read, caller)
  }
  const returned = await gateway.call(method.id, read, caller)
  if (returned.ok) return { result: returned.output, headers: returned.headers }
  if (method.rpc.orNull === true && returned.error.code === 'NOT_FOUND')
    return { result: null, headers: returned.headers }
  return { error: rpcErrorOf(returned.error, caller.requestId, returned.headers), headers: returned.headers }
}

/** Methods of the protocol itself, and unknown methods. They are counted like all others, so that guessing names is bounded. */
async function protocolMethod(context: RpcContext, { method, params }: Request, caller: Caller): Promise<Outcome> {
  const known = method === 'eth_unsubscribe' || (method === 'rpc.discover' && context.openrpc !== undefined)
  const { count } = context.gateway
  const { headers, ...counted } = await (known
    ? count(method, caller, 'OK')
    : count('unknown', caller, 'UNIMPLEMENTED'))
  if (!counted.ok) return { error: rpcErrorOf(counted.error, caller.requestId, headers), headers }
  if (!known) return { error: unknownMethod(method, caller.requestId), headers }
  if (method === 'rpc.discover') return { result: context.openrpc?.(), headers }
  if (context.subscriptions === null) return { error: envelopeErrors.needsSocket, headers }
  const [id, ...more] = Object.values(params)
  if (typeof id !== 'string' || more.some((value) => value !== null))
    return { error: envelopeErrors.subscriptionId, headers }
  return { result: context.subscriptions.close(id), headers }
}

/** A valid request; a notification has no `id`. */
type Request = { method: string; params: unknown[] | Record<string, unknown>; id?: unknown }

const idCharacters = 1_000

/** Reads a message as a request, or says why it is invalid. */
function requestOf(message: unknown): Request | { fault: string } {
  if (!isRecord(message)) return { fault: 'a request is an object with jsonrpc, method, params and id' }
  const { jsonrpc, method, params = [], id } = message
  if (jsonrpc !== '2.0') return { fault: 'jsonrpc must be "2.0"' }
  if (method === undefined) return { fault: 'method is missing; name the method to call' }
  if (typeof method !== 'string') return { fault: 'method must be a string' }
  if (params !== null && !Array.isArray(params) && !isRecord(params))
    return { fault: 'params must be a list or an object' }
  const request = { method, params: params ?? [] }
  if (!('id' in message)) return request
  if (isId(id)) return { ...request, id }
  return { fault: `id must be a number, null, or a string of at most ${idCharacters} characters` }
}

/** The id of the response to a message; null where the message has no valid id. */
function idOf(message: unknown): unknown {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function isId(id: unknown): boolean {
  if (typeof id === 'string') return id.length <= idCharacters
  // JSON cannot repeat a number that became infinite.
  return id === null || Number.isFinite(id) || JSON.isRawJSON(id)
}
