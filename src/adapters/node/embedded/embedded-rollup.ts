import type { Bridge } from '../../../domain/ports/bridge.ts'
import type { Rollup } from '../../../domain/ports/node.ts'
import { nodeError } from '../errors/node-errors.ts'

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
