import type { Hex } from '../../../domain/ports/chains.ts'
import { unlessAborted } from '../../async/single-flight.ts'
import { nodeError } from '../errors/node-errors.ts'
import { readFinality } from '../finality.ts'
import type { Upstream } from '../upstream.ts'
import type { Ask } from './mend.ts'
import { mendedEngine } from './mended-engine.ts'

/** What is asked of the embedded chain. */
export type EmbeddedChain = {
  request: (call: { method: string; params?: unknown }) => Promise<unknown>
  onBlock: (listener: (block: { number: bigint }) => void) => () => void
  onPending: (listener: (hash: Hex) => void) => () => void
  /** What the tags safe and finalized name; null where the engine's own idea of them holds. */
  heads: (() => { safe: { number: bigint }; finalized: { number: bigint } }) | null
}

/** The embedded chain as an upstream. What its engine answers wrongly is mended on the way. */
export function embeddedUpstream({ request, onBlock, onPending, heads }: EmbeddedChain): Upstream {
  const ask: Ask = async (method, params) => {
    try {
      return await request({
        method,
        params: heads === null ? params : params.map((param) => withNumbers(param, heads)),
      })
    } catch (thrown) {
      throw nodeError(method, thrown)
    }
  }
  const mended = mendedEngine(ask, { rollup: heads !== null })
  return {
    request: (method, params, signal) => unlessAborted(mended(method, params), signal),
    direct: (method, params, signal) => unlessAborted(ask(method, params), signal),
    pushesHeads: () => true,
    onHint: (listener) => onBlock(({ number }) => listener(number)),
    onPending,
    finalized: () => heads?.().finalized.number ?? -1n,
    async finality() {
      if (heads === null) return await readFinality(ask)
      const { safe, finalized } = heads()
      return { safe: safe.number, finalized: finalized.number }
    },
  }
}

type Heads = NonNullable<EmbeddedChain['heads']>

/** Tags that lag behind become numbers: as a parameter, and in the range of a log filter. */
function withNumbers(param: unknown, heads: Heads): unknown {
  if (param === 'safe' || param === 'finalized') return `0x${heads()[param].number.toString(16)}`
  if (typeof param !== 'object' || param === null || !('fromBlock' in param || 'toBlock' in param)) return param
  const { fromBlock, toBlock, ...rest } = param as Record<string, unknown>
  return {
    ...rest,
    ...(fromBlock !== undefined && { fromBlock: withNumbers(fromBlock, heads) }),
    ...(toBlock !== undefined && { toBlock: withNumbers(toBlock, heads) }),
  }
}
