import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { moduleExtension } from '../../kit/project.ts'
import type { Engine } from '../engine/engine.ts'

/** The size of a state. */
type StateSize = { accounts: number; slots: number }

/** A state that an engine has dumped, encoded for another engine to load. */
export type EngineState = StateSize & { hex: string }

/** What is read of a snapshot: all of it, the state with only the blocks that are needed, or its size. */
export type Extent = 'whole' | 'state' | 'size'

/** An engine holds a whole copy of each retained state: as many as fit into this memory, within `retainedStates`. */
const bytesForStates = 120_000_000
const bytesOf = { account: 400, slot: 170 }
/** The state of the finalized head, some thirty blocks back, must be retained. */
export const retainedStates = { least: 40, most: 128 }

type PendingBlock = { baseFeePerGas: string; timestamp: string }

/** How many states an engine that starts from a state of this size is to retain. */
export function statesFor({ accounts, slots }: StateSize): number {
  const room = Math.floor(bytesForStates / (accounts * bytesOf.account + slots * bytesOf.slot))
  return Math.max(retainedStates.least, Math.min(retainedStates.most, room))
}

/** Reads a snapshot, with all blocks or only with those whose hashes a contract may read. */
export async function readState(file: string, { whole }: { whole: boolean }): Promise<EngineState> {
  return await read(file, whole ? 'whole' : 'state')
}

/** Reads the size of the state in a snapshot. */
export async function readSize(file: string): Promise<StateSize> {
  return await read(file, 'size')
}

async function read(file: string, extent: Extent): Promise<EngineState> {
  const worker = new Worker(new URL(`./state-worker${moduleExtension}`, import.meta.url), {
    workerData: { file, extent },
  })
  try {
    const [state] = (await once(worker, 'message')) as [EngineState]
    return state
  } finally {
    await worker.terminate()
  }
}

/** Loads a state into a fresh engine. */
export async function loadState(engine: Engine, { hex }: EngineState): Promise<void> {
  await engine.call('anvil_loadState', [hex])
  // After a load alone, contracts would read made-up hashes of older blocks and the chain would diverge. The engine sets
  // these hashes when it rolls a block back.
  const { baseFeePerGas, timestamp } = (await engine.call('eth_getBlockByNumber', ['pending', false])) as PendingBlock
  await engine.call('evm_mine', [Number(timestamp) + 1])
  await engine.call('anvil_rollback', [1])
  // The block that was rolled back has changed the base fee of the next one.
  await engine.call('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
}
