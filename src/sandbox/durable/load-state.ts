import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Engine } from '../engine/engine.ts'

/** How much there is in a state. */
export type StateSize = { accounts: number; slots: number }

/** What an engine wrote of itself, made ready for another one. */
export type EngineState = StateSize & { hex: string }

/** What is read of a snapshot: all of it, what is left without the blocks that nothing needs, or only its size. */
export type Extent = 'whole' | 'state' | 'size'

/** An engine's memory holds a whole copy of each state that it keeps: as many as find room in this, within limits. */
const bytesForStates = 120_000_000
const bytesOf = { account: 400, slot: 170 }
/** The finalized head, some thirty blocks back, must have its state. */
export const states = { least: 40, most: 128 }

type Pending = { baseFeePerGas: string; timestamp: string }

/** How many states an engine that begins with this one is to keep. */
export function statesFor({ accounts, slots }: StateSize): number {
  const room = Math.floor(bytesForStates / (accounts * bytesOf.account + slots * bytesOf.slot))
  return Math.max(states.least, Math.min(states.most, room))
}

/** Reads a snapshot, with all blocks or only with those whose hashes a contract may ask for. */
export async function readState(file: string, { whole }: { whole: boolean }): Promise<EngineState> {
  return await read(file, whole ? 'whole' : 'state')
}

/** Reads of a snapshot only how much there is in it. */
export async function readSize(file: string): Promise<StateSize> {
  return await read(file, 'size')
}

async function read(file: string, extent: Extent): Promise<EngineState> {
  const worker = new Worker(new URL('./state-worker.ts', import.meta.url), { workerData: { file, extent } })
  try {
    const [state] = (await once(worker, 'message')) as [EngineState]
    return state
  } finally {
    await worker.terminate()
  }
}

/** Puts a fresh engine where another one was when it wrote its state. */
export async function loadState(engine: Engine, { hex }: EngineState): Promise<void> {
  await engine.call('anvil_loadState', [hex])
  // Loaded alone, contracts would read made-up hashes of the blocks before, and the chain would lead elsewhere. Only
  // what takes a block back gives the machine the hashes of the blocks below it.
  const { baseFeePerGas, timestamp } = (await engine.call('eth_getBlockByNumber', ['pending', false])) as Pending
  await engine.call('evm_mine', [Number(timestamp) + 1])
  await engine.call('anvil_rollback', [1])
  // The block that was taken back has changed what the next one charges.
  await engine.call('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
}
