import type { Bridge } from '../../../domain/ports/bridge.ts'
import type { Hex } from '../../../domain/ports/chains.ts'
import type { NodeCaller, Rollup } from '../../../domain/ports/node.ts'
import { quantityOf } from '../../../kit/hex.ts'
import { unlessAborted } from '../../async/single-flight.ts'
import { createCallTally, type ReportCall } from '../call-tally.ts'
import { nodeError } from '../errors/node-errors.ts'
import type { Upstream } from '../upstream.ts'
import { withWorkarounds } from './anvil-workarounds.ts'
import type { Call } from './workaround.ts'

/** Whose read a call is: the gateway's own, or a stranger's. */
type Lane = 'own' | 'public'

/** The part of an embedded chain that its node client uses. */
export type EmbeddedChain = {
  request: (call: {
    method: string
    params?: unknown
    lane?: Lane
    caller?: NodeCaller
    signal?: AbortSignal
  }) => Promise<unknown>
  onBlock: (listener: (block: { number: bigint }) => void) => () => void
  onPending: (listener: (hash: Hex) => void) => () => void
  /** The blocks of the tags safe and finalized; null where anvil's own values are right. */
  heads: (() => { safe: { number: bigint }; finalized: { number: bigint } }) | null
}

/** Id of the chain and the receiver of its calls, where they are counted. */
type Counting = { chainId: number; report: ReportCall }

/** The embedded chain as an upstream. */
export function embeddedUpstream({ request, onBlock, onPending, heads }: EmbeddedChain, counting?: Counting): Upstream {
  const name = 'embedded'
  const tally = createCallTally(() => ({ upstream: name, chainId: counting?.chainId ?? null }), counting?.report)
  let healthy = true
  let latencyMs: number | null = null
  const callFor = (lane: Lane, signal?: AbortSignal, caller?: NodeCaller): Call => {
    const call: Call = async (method, params) => {
      const began = performance.now()
      try {
        const result = await tally.counted(method, () =>
          request({
            method,
            params: heads === null ? params : params.map((param) => withNumbers(param, heads)),
            lane,
            ...(caller === undefined ? {} : { caller }),
            ...(signal === undefined ? {} : { signal }),
          }),
        )
        healthy = true
        latencyMs = Math.round(performance.now() - began)
        return result
      } catch (thrown) {
        const failure = nodeError(method, thrown)
        if (failure.code === 'UNAVAILABLE') healthy = false
        throw failure
      }
    }
    return caller === undefined ? call : Object.assign(call, { by: caller })
  }
  const serve = withWorkarounds(callFor('public'), { rollup: heads !== null })
  return {
    request: (method, params, signal, { caller } = {}) =>
      unlessAborted(serve(method, params, callFor('public', signal, caller)), signal),
    direct: (method, params, signal) => unlessAborted(callFor('own', signal)(method, params), signal),
    pushesHeads: () => true,
    onHint: (listener) => onBlock(({ number }) => listener(number)),
    onPending,
    finalized: () => heads?.().finalized.number ?? -1n,
    states: () => [{ name, healthy, latencyMs, blocksBehind: null, calls: null, failingMethods: [], slowedByMs: 0 }],
  }
}

type Heads = NonNullable<EmbeddedChain['heads']>

/** Replaces the tags safe and finalized by numbers: as a parameter, and in the range of a log filter. */
function withNumbers(param: unknown, heads: Heads): unknown {
  if (param === 'safe' || param === 'finalized') return quantityOf(heads()[param].number)
  if (typeof param !== 'object' || param === null || !('fromBlock' in param || 'toBlock' in param)) return param
  const { fromBlock, toBlock, ...rest } = param as Record<string, unknown>
  return {
    ...rest,
    ...(fromBlock !== undefined && { fromBlock: withNumbers(fromBlock, heads) }),
    ...(toBlock !== undefined && { toBlock: withNumbers(toBlock, heads) }),
  }
}

/** The embedded rollup node and its bridge. Failures are DomainError. */
export function embeddedRollup(rollup: Rollup, bridge: Bridge): { rollup: Rollup; bridge: Bridge } {
  return {
    rollup: {
      syncStatus: () => translated('rollup_syncStatus', rollup.syncStatus()),
      config: () => translated('rollup_rollupConfig', rollup.config()),
      outputAt: (number) => translated('rollup_outputAtBlock', rollup.outputAt(number)),
    },
    bridge: { facts: (hash) => translated('bridge status', bridge.facts(hash)), ticks: bridge.ticks },
  }
}

async function translated<T>(method: string, work: Promise<T>): Promise<T> {
  return await work.catch((thrown: unknown) => {
    throw nodeError(method, thrown)
  })
}
