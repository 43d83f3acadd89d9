import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Engine } from '../engine/engine.ts'

/** What an engine wrote of itself, made ready for another one, and how many states that one is to keep. */
export type EngineState = { bytes: Buffer; states: number }

/** How far back a contract may ask for a block's hash. */
const hashesBack = 256

/** An engine's memory holds a whole copy of each state that it keeps: as many as find room in this, within limits. */
const bytesForStates = 120_000_000
const bytesOf = { account: 400, slot: 170 }
/** The finalized head, some thirty blocks back, must have its state. */
export const states = { least: 40, most: 128 }

type Block = { header: { number: string }; transactions: unknown[] }
type Account = { storage: Record<string, unknown> }
type Dump = {
  best_block_number: number
  blocks: Block[]
  transactions: unknown[]
  accounts: Record<string, Account>
}
type Pending = { baseFeePerGas: string; timestamp: string }

/**
 * Reads a snapshot. Only the blocks whose hashes a contract may ask for come with it, unless it is to have all: an
 * engine slows and swells with every block it keeps.
 */
export async function readState(file: string, { whole }: { whole: boolean }): Promise<EngineState> {
  const bytes = await readFile(file)
  const dump = JSON.parse((await promisify(gunzip)(bytes)).toString()) as Dump
  const sizes = Object.values(dump.accounts).map(({ storage }) => Object.keys(storage).length)
  const slots = sizes.reduce((sum, size) => sum + size, 0)
  const room = Math.floor(bytesForStates / (sizes.length * bytesOf.account + slots * bytesOf.slot))
  return {
    bytes: whole ? bytes : withoutHistory(dump),
    states: Math.max(states.least, Math.min(states.most, room)),
  }
}

function withoutHistory(dump: Dump): Buffer {
  const from = dump.best_block_number - hashesBack
  // Their headers are enough, from which the engine has their hashes.
  const blocks = dump.blocks
    .filter(({ header }) => Number(header.number) >= from)
    .map((block) => ({ ...block, transactions: [] }))
  return Buffer.from(JSON.stringify({ ...dump, blocks, transactions: [] }))
}

/** Puts a fresh engine where another one was when it wrote its state. */
export async function loadState(engine: Engine, { bytes }: EngineState): Promise<void> {
  await engine.call('anvil_loadState', [`0x${bytes.toString('hex')}`])
  // Loaded alone, contracts would read made-up hashes of the blocks before, and the chain would lead elsewhere. Only
  // what takes a block back gives the machine the hashes of the blocks below it.
  const { baseFeePerGas, timestamp } = (await engine.call('eth_getBlockByNumber', ['pending', false])) as Pending
  await engine.call('evm_mine', [Number(timestamp) + 1])
  await engine.call('anvil_rollback', [1])
  // The block that was taken back has changed what the next one charges.
  await engine.call('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
}
