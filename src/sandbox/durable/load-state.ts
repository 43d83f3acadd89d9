import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Engine } from '../engine/engine.ts'

/** How far back a contract may ask for a block's hash. */
const hashesBack = 256

type Pending = { baseFeePerGas: string; timestamp: string }
type Dump = { best_block_number: number; blocks: { header: { number: string } }[]; transactions: unknown[] }

/**
 * Puts a fresh engine where another one was when it wrote its state. Only the blocks whose hashes a contract may ask
 * for come with it, unless it is to have all: an engine slows and swells with every block it keeps.
 */
export async function loadState(engine: Engine, state: Buffer, { whole }: { whole: boolean }): Promise<void> {
  const bytes = whole ? state : await withoutHistory(state)
  await engine.call('anvil_loadState', [`0x${bytes.toString('hex')}`])
  // Loaded alone, contracts would read made-up hashes of the blocks before, and the chain would lead elsewhere. Only
  // what takes a block back gives the machine the hashes of the blocks below it.
  const { baseFeePerGas, timestamp } = (await engine.call('eth_getBlockByNumber', ['pending', false])) as Pending
  await engine.call('evm_mine', [Number(timestamp) + 1])
  await engine.call('anvil_rollback', [1])
  // The block that was taken back has changed what the next one charges.
  await engine.call('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
}

async function withoutHistory(state: Buffer): Promise<Buffer> {
  const dump = JSON.parse((await promisify(gunzip)(state)).toString()) as Dump
  const from = dump.best_block_number - hashesBack
  const blocks = dump.blocks.filter(({ header }) => Number(header.number) >= from)
  return Buffer.from(JSON.stringify({ ...dump, blocks, transactions: [] }))
}
