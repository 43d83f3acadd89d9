import { type MethodRule, ruleOf } from '../chain/methods.ts'
import { blockGasLimit } from '../engine/engine.ts'
import { RpcError } from '../kit/rpc-error.ts'

/**
 * Checks a public call of a method that changes nothing, and returns the parameters for the engine. Throws RpcError for
 * other methods, and for parameters that would crash the engine or keep it busy without end.
 */
export function checkedParams(method: string, params: unknown): unknown[] {
  const rule = ruleOf(method)
  if (rule === undefined) throw new RpcError(-32601, `the method ${method} does not exist or is not available`)
  if (params !== undefined && !Array.isArray(params)) throw new RpcError(-32602, 'params must be an array')
  const list: unknown[] = [...(params ?? [])]
  if (method === 'eth_feeHistory') list[0] = boundedCount(list[0])
  if (rule.call) list[0] = withBoundedGas(list[0])
  if (method === 'eth_simulateV1') list[0] = withBoundedCalls(list[0])
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
  return `0x${(count > 1024n ? 1024n : count).toString(16)}`
}

function withBoundedGas(call: unknown): unknown {
  if (!isRecord(call)) return call
  const gas = quantity(call.gas)
  return gas !== undefined && gas > BigInt(blockGasLimit) ? { ...call, gas: `0x${blockGasLimit.toString(16)}` } : call
}

function withBoundedCalls(payload: unknown): unknown {
  if (!isRecord(payload) || !Array.isArray(payload.blockStateCalls)) return payload
  const blocks = payload.blockStateCalls.map((block: unknown) =>
    isRecord(block) && Array.isArray(block.calls) ? { ...block, calls: block.calls.map(withBoundedGas) } : block,
  )
  return { ...payload, blockStateCalls: blocks }
}

function quantity(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || value.length > 66 || !/^(0x[0-9a-fA-F]+|\d+)$/.test(value)) return undefined
  return BigInt(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
