import type { NodeCaller } from '../../domain/ports/node.ts'
import { quantityOf } from '../../kit/hex.ts'
import { isRecord } from '../../kit/values.ts'
import type { Chain } from '../chain/chain.ts'
import { type MethodRule, ruleOf } from '../chain/methods.ts'
import type { Lane, ReadBounds } from '../engine/reads.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { transactionGate } from './transactions.ts'

/** Calls a public JSON-RPC method, in the form of viem's `custom()` transport. Throws RpcError. */
export type Request = (args: {
  method: string
  params?: unknown
  /** Whose read it is; a stranger's unless it says otherwise. */
  lane?: Lane
  caller?: NodeCaller
  signal?: AbortSignal
}) => Promise<unknown>

/**
 * Creates the only way by which callers reach a chain: reads and signed transactions. Where a read fails, `stored` may
 * have its result; it returns null where it has none.
 */
export function publicRequests(
  chain: Chain,
  { gas }: ReadBounds,
  stored: (method: string, params: readonly unknown[]) => unknown = () => null,
): Request {
  const sendTransaction = transactionGate(chain)
  return async ({ method, params, lane = 'public', caller, signal }) => {
    if (method === 'eth_sendRawTransaction') return sendTransaction(Array.isArray(params) ? params[0] : undefined)
    const checked = checkedParams(method, params, BigInt(gas))
    try {
      return await chain.read(method, checked, { lane, caller, signal })
    } catch (error) {
      const result = isEngineUnavailable(error) ? null : stored(method, checked)
      if (result === null) throw error
      return result
    }
  }
}

/**
 * Checks a public call of a method that changes nothing, and returns the parameters for the engine. Throws RpcError for
 * other methods, and for parameters that would crash the engine or keep it busy without end. `gasCap` bounds the gas of a
 * call, and the calls of a simulation together by `wholeCalls`.
 */
export function checkedParams(method: string, params: unknown, gasCap: bigint): unknown[] {
  const rule = ruleOf(method)
  if (rule === undefined) throw new RpcError(-32601, `the method ${method} does not exist or is not available`)
  if (params !== undefined && !Array.isArray(params)) throw new RpcError(-32602, 'params must be an array')
  const list: unknown[] = [...(params ?? [])]
  if (method === 'eth_feeHistory') list[0] = boundedCount(list[0])
  if (rule.call) list[0] = withGas(list[0], gasCap)
  if (method === 'eth_simulateV1') list[0] = withSharedGas(list[0], gasCap)
  demandTracer(method, rule, list)
  return list
}

function demandTracer(method: string, { traceOptions }: MethodRule, params: readonly unknown[]): void {
  if (traceOptions === undefined) return
  const options = params[traceOptions]
  if (isRecord(options) && typeof options.tracer === 'string') return
  throw new RpcError(-32602, `${method} needs a tracer in its options, such as callTracer`)
}

function boundedCount(value: unknown): string {
  const count = quantity(value)
  if (count === undefined) throw new RpcError(-32602, 'blockCount must be a quantity')
  return quantityOf(count > 1024n ? 1024n : count)
}

/** A call with the gas that it may use: what it names, or the bound where it names more or nothing. */
function withGas(call: unknown, bound: bigint): unknown {
  return isRecord(call) ? { ...call, gas: quantityOf(wantedGas(call, bound)) } : call
}

function wantedGas(call: unknown, bound: bigint): bigint {
  const gas = (isRecord(call) ? quantity(call.gas) : undefined) ?? bound
  return gas < bound ? gas : bound
}

/**
 * So many calls of a simulation may each use the whole cap; more of them divide the gas of these. A call that fails uses
 * all its gas without much work, so that it must leave some to the others; what they take together the time bounds.
 */
const wholeCalls = 16n

/** A simulation with the gas that each of its calls may use. */
function withSharedGas(payload: unknown, cap: bigint): unknown {
  if (!isRecord(payload) || !Array.isArray(payload.blockStateCalls)) return payload
  const blocks: unknown[] = payload.blockStateCalls
  const callsOf = (block: unknown): unknown[] => (isRecord(block) && Array.isArray(block.calls) ? block.calls : [])
  const bound = evenBound(
    blocks.flatMap(callsOf).map((call) => wantedGas(call, cap)),
    wholeCalls * cap,
  )
  const each = bound < cap ? bound : cap
  const bounded = (block: unknown) =>
    isRecord(block) && Array.isArray(block.calls)
      ? { ...block, calls: callsOf(block).map((call) => withGas(call, each)) }
      : block
  return { ...payload, blockStateCalls: blocks.map(bounded) }
}

/** The largest bound with which the amounts, each cut to it, sum up to no more than the total. */
function evenBound(amounts: readonly bigint[], total: bigint): bigint {
  let left = total
  let count = BigInt(amounts.length)
  for (const amount of amounts.toSorted((one, other) => Number(one - other))) {
    if (amount * count > left) return left / count
    left -= amount
    count -= 1n
  }
  return total
}

function quantity(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || value.length > 66 || !/^(0x[0-9a-fA-F]+|\d+)$/.test(value)) return undefined
  return BigInt(value)
}
