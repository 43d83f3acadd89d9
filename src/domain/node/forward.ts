import { withoutEmptyLists } from '../../contract/shared/absent-fields.ts'
import type { Operation } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'

type NodeMethod = Pick<Operation, 'rpc' | 'input'> & { kind: 'unary' }
type ForwardCall = {
  signal: AbortSignal
  keyOrAddress: string
  spent: (gas: number) => void
  fail: Fail<'NOT_FOUND'>
}
type Request = (ports: Pick<Ports, 'node'>, input: unknown, call: ForwardCall) => Promise<unknown>

/** A handler that calls the node's method of its operation, with the fields in the contract's order. */
export function forward<O extends NodeMethod>(operation: O): Handler<O, 'node'> {
  return typed<O>(requestOf(operation))
}

/** Returns a handler like `forward`, for methods whose null means that the block is unknown: NOT_FOUND. */
export function forwardFound<O extends NodeMethod>(operation: O): Handler<O, 'node'> {
  const request = requestOf(operation)
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

function requestOf({ rpc, input: schema }: NodeMethod): Request {
  if (rpc === undefined) throw new Error('Only an operation with a JSON-RPC binding can be forwarded.')
  const { method, params } = rpc
  return async ({ node }, input, { signal, keyOrAddress, spent }) =>
    await node.request(method, positional(params, schema, input), signal, { name: keyOrAddress, spent })
}

/** Fields as positional parameters. Absent ones at the end are left out; others are null. */
function positional(params: readonly string[], schema: Operation['input'], input: unknown): unknown[] {
  const fields = withoutEmptyLists(schema, input) as Record<string, unknown>
  const last = params.findLastIndex((name) => fields[name] !== undefined)
  return params.slice(0, last + 1).map((name) => fields[name] ?? null)
}
