import type { Operation, RpcBinding } from '../../contract/operation.ts'
import type { AnswerHeaders, Caller, Gateway } from '../../gateway.ts'
import { envelopeErrors, type RpcError, rpcErrorOf, unknownMethod } from './errors.ts'

export type RpcResponse = { jsonrpc: '2.0'; id: unknown } & ({ result: unknown } | { error: RpcError })

/** An answered message; `response` is null for a notification. */
export type Answered = { response: RpcResponse | null; headers: AnswerHeaders }

/** Methods by name and alias. */
export type MethodTable = ReadonlyMap<string, { id: string; operation: Operation; rpc: RpcBinding }>

export function methodTable(operations: ReadonlyMap<string, Operation>): MethodTable {
  const rows = [...operations].flatMap(([id, operation]) => {
    const rpc = operation.rpc
    if (rpc === undefined) return []
    return [rpc.method, ...(rpc.aliases ?? [])].map((name) => [name, { id, operation, rpc }] as const)
  })
  return new Map(rows)
}

/** Answers one message, whatever it is; knows no transport. Never throws. */
export async function answerMessage(
  gateway: Gateway,
  methods: MethodTable,
  message: unknown,
  caller: Caller,
): Promise<Answered> {
  const request = requestOf(message)
  if (request === null) return { response: failed(idOf(message), envelopeErrors.request), headers: {} }
  const { headers, ...outcome } = await run(gateway, methods, request, caller)
  if (!('id' in request)) return { response: null, headers }
  return { response: { jsonrpc: '2.0', id: request.id, ...outcome }, headers }
}

export function failed(id: unknown, error: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error }
}

type Request = { method: string; params: unknown[] | Record<string, unknown>; id?: unknown }
type Outcome = ({ result: unknown } | { error: RpcError }) & { headers: AnswerHeaders }

async function run(gateway: Gateway, methods: MethodTable, request: Request, caller: Caller): Promise<Outcome> {
  const method = methods.get(request.method)
  if (method === undefined) return await unknown(gateway, request.method, caller)
  if (method.operation.kind === 'stream') return { error: envelopeErrors.needsSocket, headers: {} }
  const { params } = request
  const read = () => (Array.isArray(params) ? namedFields(method.rpc, params) : params)
  const answer = await gateway.call(method.id, read, caller)
  if (answer.ok) return { result: answer.output, headers: answer.headers }
  return { error: rpcErrorOf(answer.error, caller.requestId, answer.headers), headers: answer.headers }
}

/** A method that is nobody's is counted like any other, so that guessing names is bounded too. */
async function unknown(gateway: Gateway, method: string, caller: Caller): Promise<Outcome> {
  const { headers, ...answer } = await gateway.call('unknown', () => ({}), caller)
  const limited = !answer.ok && answer.error.code === 'RATE_LIMITED'
  const error = limited ? rpcErrorOf(answer.error, caller.requestId, headers) : unknownMethod(method, caller.requestId)
  return { error, headers }
}

/** Positions become fields; null stands for an absent one. The first that is too many is kept for validation to refuse. */
function namedFields(rpc: RpcBinding, params: unknown[]): Record<string, unknown> {
  const named = params
    .slice(0, rpc.params.length + 1)
    .map((value, index): [string, unknown] => [rpc.params[index] ?? `params.${index}`, value])
  return Object.fromEntries(named.filter(([, value]) => value !== null))
}

function requestOf(message: unknown): Request | null {
  if (!isRecord(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return null
  const params = message.params ?? []
  if (!Array.isArray(params) && !isRecord(params)) return null
  if (!('id' in message)) return { method: message.method, params }
  return isId(message.id) ? { method: message.method, params, id: message.id } : null
}

function idOf(message: unknown): unknown {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function isId(id: unknown): boolean {
  return id === null || typeof id === 'number' || (typeof id === 'string' && id.length <= 1_000)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
