import type { Operation, RpcBinding } from '../../contract/shared/operation.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { AnswerHeaders, Caller, ReadInput } from '../../gateway/request.ts'
import { idOf, type Request, requestOf } from './envelope.ts'
import { envelopeErrors, invalidRequest, type RpcError, rpcErrorOf, unknownMethod } from './errors.ts'
import { fieldsByName, fieldsByPosition } from './params.ts'

/** Methods by name and alias. */
export type MethodTable = ReadonlyMap<string, { id: string; operation: Operation; rpc: RpcBinding }>

export type RpcContext = {
  gateway: Gateway
  methods: MethodTable
  /** Makes the OpenRPC document that rpc.discover answers, if any. */
  openrpc: (() => unknown) | undefined
  /** The JSON of what an event tells, made once for all connections. */
  eventJson(event: unknown): string
  /** Of one connection; null where the transport carries no events. */
  subscriptions: Subscriptions | null
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type Subscriptions = {
  /** Opens a stream; its events come once `begin` is called. */
  open(operation: string, read: ReadInput, caller: Caller): Promise<Outcome>
  /** False where this connection has no such subscription. */
  close(id: string): boolean
}

/** What a request came to. `begin` is called once its answer is on its way, or can go nowhere any more. */
export type Outcome = Result & { headers: AnswerHeaders; begin?: () => void }
type Result = { result: unknown } | { error: RpcError }

export type RpcResponse = { jsonrpc: '2.0'; id: unknown } & Result

/** An answered message; `response` is null for a notification. */
export type Answered = { response: RpcResponse | null; headers: AnswerHeaders; begin: () => void }

export function methodTable(operations: ReadonlyMap<string, Operation>): MethodTable {
  const rows = [...operations].flatMap(([id, operation]) => {
    const rpc = operation.rpc
    if (rpc === undefined) return []
    return [rpc.method, ...(rpc.aliases ?? [])].map((name) => [name, { id, operation, rpc }] as const)
  })
  return new Map(rows)
}

/** Answers one message, whatever it is; knows no transport. Never throws. */
export async function answerMessage(context: RpcContext, message: unknown, caller: Caller): Promise<Answered> {
  const request = requestOf(message)
  if ('fault' in request)
    return { response: failed(idOf(message), invalidRequest(request.fault)), headers: {}, begin: () => undefined }
  const { headers, begin = () => undefined, ...outcome } = await run(context, request, caller)
  const response: RpcResponse | null = 'id' in request ? { jsonrpc: '2.0', id: request.id, ...outcome } : null
  return { response, headers, begin }
}

/** Refuses a message that is not looked into any more. */
export function unanswered(message: unknown, error: RpcError): Answered {
  const isNotification = !('fault' in requestOf(message)) && !('id' in (message as object))
  return { response: isNotification ? null : failed(idOf(message), error), headers: {}, begin: () => undefined }
}

export function failed(id: unknown, error: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error }
}

async function run(context: RpcContext, request: Request, caller: Caller): Promise<Outcome> {
  const { gateway, methods, subscriptions } = context
  const method = methods.get(request.method)
  if (method === undefined) return await ownMethod(context, request, caller)
  const { params } = request
  const read = () => (Array.isArray(params) ? fieldsByPosition(method.rpc, params) : fieldsByName(method.rpc, params))
  if (method.operation.kind === 'stream') {
    if (subscriptions === null) return { error: envelopeErrors.needsSocket, headers: {} }
    if (!('id' in request)) return { error: envelopeErrors.silentStream, headers: {} }
    return await subscriptions.open(method.id, read, caller)
  }
  const answer = await gateway.call(method.id, read, caller)
  if (answer.ok) return { result: answer.output, headers: answer.headers }
  if (method.rpc.orNull === true && answer.error.code === 'NOT_FOUND') return { result: null, headers: answer.headers }
  return { error: rpcErrorOf(answer.error, caller.requestId, answer.headers), headers: answer.headers }
}

/** Methods of the protocol itself, and those of nobody: counted like all others, so that guessing names is bounded too. */
async function ownMethod(context: RpcContext, { method, params }: Request, caller: Caller): Promise<Outcome> {
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
  if (typeof id !== 'string' || more.length > 0) return { error: envelopeErrors.subscriptionId, headers }
  return { result: context.subscriptions.close(id), headers }
}
