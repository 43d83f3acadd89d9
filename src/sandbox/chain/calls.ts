import { rpcBindings } from '../../contract/chain/chain.ts'
import { type MethodRule, ruleOf } from './methods.ts'

/** A JSON-RPC call with positional parameters. */
export type Call = { method: string; params: readonly unknown[] }

/** Position of the block parameter, where it names what `block` says. */
function blockPosition(method: string, block: MethodRule['block']): number | undefined {
  return ruleOf(method)?.block === block ? rpcBindings.get(method)?.block : undefined
}

/** The parameter that names the block whose state a call reads. */
export function stateBlockOf({ method, params }: Call): unknown {
  const position = blockPosition(method, 'state')
  return position === undefined ? undefined : params[position]
}

/** Replaces the block whose state a call reads. */
export function withBlock({ method, params }: Call, block: unknown): Call {
  return { method, params: params.toSpliced(blockPosition(method, 'state') ?? 0, 1, block) }
}

/**
 * The tag of the newest state or the one after it, where a call reads one of these. The engine estimates gas for the
 * block after the newest one unless another is named.
 */
export function stateTag(call: Call): 'latest' | 'pending' | undefined {
  const { method, params } = call
  const position = blockPosition(method, 'state')
  if (position === undefined || params.length < position || isPendingCount(call)) return undefined
  const tag = params[position] ?? (method === 'eth_estimateGas' ? 'pending' : 'latest')
  return tag === 'latest' || tag === 'pending' ? tag : undefined
}

/** Whether a call counts the transactions of an account with the pending ones. Only the engine's whole pool knows them. */
export function isPendingCount({ method, params }: Call): boolean {
  return method === 'eth_getTransactionCount' && params[1] === 'pending'
}

/** Whether the first parameter of a call names a mined block by its number. */
export function namesMinedBlock({ method }: Call): boolean {
  return blockPosition(method, 'mined') === 0
}

/** The number by which a call names a block, below zero where it names none. */
export function namedNumber({ method, params }: Call): number {
  const rule = ruleOf(method)
  const position = rule?.newestBlock ?? (rule?.block && rpcBindings.get(method)?.block)
  return position === undefined ? -1 : numberIn(params[position])
}

function numberIn(id: unknown): number {
  if (typeof id === 'string') return /^0x[0-9a-f]{1,63}$/i.test(id) ? Number(id) : -1
  return typeof id === 'object' && id !== null && 'blockNumber' in id ? numberIn(id.blockNumber) : -1
}
