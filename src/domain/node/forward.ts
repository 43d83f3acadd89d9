import type { RpcBinding } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'

type NodeMethod = { kind: 'unary'; rpc?: RpcBinding | undefined }
type Asking = (ports: Pick<Ports, 'node'>, input: unknown, call: { signal: AbortSignal }) => Promise<unknown>

/** A handler that asks the node the method of its own contract, with the fields in the contract's order. */
export function forward<O extends NodeMethod>({ rpc }: O): Handler<O, 'node'> {
  return typed<O>(asking(rpc))
}

/** As `forward`, where null means that there is no such block, and the contract promises an answer. */
export function forwardFound<O extends NodeMethod>({ rpc }: O): Handler<O, 'node'> {
  const ask = asking(rpc)
  return typed<O>(async (...args) => {
    const answer = await ask(...args)
    if (answer === null) throw new DomainError('NOT_FOUND', 'There is no such block.')
    return answer
  })
}

/** The node's answer is held against the contract by the gateway, not by the compiler. */
function typed<O extends NodeMethod>(ask: Asking): Handler<O, 'node'> {
  return ask as unknown as Handler<O, 'node'>
}

function asking(rpc: RpcBinding | undefined): Asking {
  if (rpc === undefined) throw new Error('Only an operation with a JSON-RPC binding can be forwarded.')
  const { method, params } = rpc
  return async ({ node }, input, { signal }) => await node.request(method, positional(params, input), signal)
}

/** Fields as positional parameters; what is absent at the end is left out, in between it is null. */
function positional(params: readonly string[], input: unknown): unknown[] {
  const fields = input as Record<string, unknown>
  const last = params.findLastIndex((name) => fields[name] !== undefined)
  return params
    .slice(0, last + 1)
    .map((name) => (name === 'block' ? asBlock(fields[name]) : (withoutEmptyLists(fields[name]) ?? null)))
}

/** Nodes may tell an empty list in an object from an absent one, and gRPC cannot: it means the same everywhere. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([, part]) => !Array.isArray(part) || part.length > 0)
  return Object.fromEntries(said.map(([name, part]) => [name, withoutEmptyLists(part)]))
}

/** A hash where a block is named is written as EIP-1898 has it. */
function asBlock(block: unknown): unknown {
  return typeof block === 'string' && block.length === 66 ? { blockHash: block } : (block ?? null)
}
