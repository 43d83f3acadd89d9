import type { Bridge } from '../../../domain/ports/bridge.ts'
import type { Rollup } from '../../../domain/ports/node.ts'
import { nodeError } from '../errors/node-errors.ts'

/** The embedded rollup's own view and its bridge, with their failures in the domain's words. */
export function embeddedRollup(rollup: Rollup, bridge: Bridge): { rollup: Rollup; bridge: Bridge } {
  return {
    rollup: {
      syncStatus: () => spoken('rollup_syncStatus', rollup.syncStatus()),
      config: () => spoken('rollup_rollupConfig', rollup.config()),
      outputAt: (number) => spoken('rollup_outputAtBlock', rollup.outputAt(number)),
    },
    bridge: { facts: (hash) => spoken('bridge status', bridge.facts(hash)), ticks: bridge.ticks },
  }
}

async function spoken<T>(method: string, work: Promise<T>): Promise<T> {
  return await work.catch((thrown: unknown) => {
    throw nodeError(method, thrown)
  })
}
