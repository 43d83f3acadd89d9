import type { RpcBinding } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'

type NodeMethod = { kind: 'unary'; rpc?: RpcBinding | undefined }
type ForwardCall = {
  signal: AbortSignal
  keyOrAddress: string
  spent: (gas: number) => void
  fail: Fail<'NOT_FOUND'>
}
type Request = (ports: Pick<Ports, 'node'>, input: unknown, call: ForwardCall) => Promise<unknown>

/** A handler that calls the node's method of its operation, with the fields in the contract's order. */
export function forward<O extends NodeMethod>({ rpc }: O): Handler<O, 'node'> {
  return typed<O>(requestOf(rpc))
}

/** Returns a handler like `forward`, for methods whose null means that the block is unknown: NOT_FOUND. */
export function forwardFound<O extends NodeMethod>({ rpc }: O): Handler<O, 'node'> {
  const request = requestOf(rpc)
  return typed<O>(async (ports, input, call) => {
    const result = await request(ports, input, call)
    if (result === null) throw call.fail('NOT_FOUND', 'The block is unknown.')
    return result
  })
}

/** The gateway checks the node's result against the contract; the compiler cannot. */
function typed<O extends NodeMethod>(request: Request): Handler<O, 'node'> {
  return request as unknown as Handler<O, 'node'>
}

function requestOf(rpc: RpcBinding | undefined): Request {
  if (rpc === undefined) throw new Error('Only an operation with a JSON-RPC binding can be forwarded.')
  const { method, params } = rpc
  return async ({ node }, input, { signal, keyOrAddress, spent }) =>
    await node.request(method, positional(params, input), signal, { name: keyOrAddress, spent })
}

/** Fields as positional parameters. Absent ones at the end are left out; others are null. */
function positional(params: readonly string[], input: unknown): unknown[] {
  const fields = input as Record<string, unknown>
  const last = params.findLastIndex((name) => fields[name] !== undefined)
  return params.slice(0, last + 1).map((name) => withoutEmptyLists(fields[name]) ?? null)
}

/** An empty list in an object means the same as an absent one, because gRPC cannot distinguish them; a node may. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([, part]) => !Array.isArray(part) || part.length > 0)
  return Object.fromEntries(said.map(([name, part]) => [name, withoutEmptyLists(part)]))
}
