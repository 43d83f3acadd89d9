import { rpcBindings } from '../../contract/chain/chain.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { MethodCalls } from '../../domain/ports/chains.ts'

/** One real call of one node, as its provider counts it. */
export type NodeCall = {
  /** The name of the node, as `UpstreamState` has it. */
  upstream: string
  /** Id of its chain; null before it is known. */
  chainId: number | null
  /** A method of the contract; `other` for any other. */
  method: string
  /** False where it brought no result, unless the gateway gave it up because it was no longer needed. */
  ok: boolean
  seconds: number
}

/** Receives each call once it has ended. Must not throw. */
export type ReportCall = (call: NodeCall) => void

/** Counts the calls of one node. */
export type CallTally = {
  /** Makes a call, and counts and reports it. */
  counted<T>(method: string, call: () => Promise<T>): Promise<T>
  /** The counts since the start, the most called method first. */
  byMethod(): MethodCalls[]
}

/** Methods that callers cannot choose freely, so that what is counted by them stays bounded. */
export function countedMethod(method: string): string {
  return rpcBindings.has(method) ? method : 'other'
}

/** Creates the counts of a node; `of` names it at the time of each call. */
export function createCallTally(
  of: () => Pick<NodeCall, 'upstream' | 'chainId'>,
  report: ReportCall = () => undefined,
): CallTally {
  const counts = new Map<string, { calls: number; failed: number }>()

  function ended(called: string, ok: boolean, began: number): void {
    const method = countedMethod(called)
    const count = counts.get(method) ?? { calls: 0, failed: 0 }
    count.calls += 1
    if (!ok) count.failed += 1
    counts.set(method, count)
    report({ ...of(), method, ok, seconds: (performance.now() - began) / 1_000 })
  }

  return {
    async counted(method, call) {
      const began = performance.now()
      try {
        const result = await call()
        ended(method, true, began)
        return result
      } catch (failure) {
        ended(method, failure instanceof DomainError && failure.code === 'CANCELLED', began)
        throw failure
      }
    },
    byMethod: () =>
      [...counts].map(([method, count]) => ({ method, ...count })).sort((left, right) => right.calls - left.calls),
  }
}
