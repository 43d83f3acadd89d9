import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../events.ts'
import { placeDeposits } from './place-deposits.ts'
import type { SealRecord } from './records.ts'
import { type Head, type Recorder, readHead } from './replay.ts'

/** Makes the block that was decided on, deposits first, and has it taken down. Answers it with its transactions. */
export async function makeBlock(options: {
  engine: Engine
  seal: SealRecord
  pending: ReadonlyMap<Hex, Hex>
  record: Recorder
  emit: Emit
}): Promise<{ block: Head; transactions: Hex[] }> {
  const { engine, seal, pending, record, emit } = options
  if (seal.deposits.length > 0) await placeDeposits(engine, seal.deposits, pending)
  await engine.call('evm_mine', [seal.timestamp], 30_000)
  const { transactions, ...block } = await readHead(engine)
  if (block.number !== seal.number) throw new Error(`sealed block ${seal.number} but the engine is at ${block.number}`)
  for (const { hash } of seal.deposits) {
    if (transactions.includes(hash)) continue
    // Whatever kept it out will do so again, and no later block may have it unsaid.
    await engine.call('anvil_dropTransaction', [hash])
    emit({ type: 'deposit-refused', hash })
  }
  await record({ block, seal, transactions }, engine.call)
  return { block, transactions }
}
