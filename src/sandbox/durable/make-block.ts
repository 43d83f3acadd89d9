import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { recordsOf } from './accept.ts'
import type { AppendLog } from './append-log.ts'
import { removeAccounts } from './offer.ts'
import type { DepositPlacer } from './place-deposits.ts'
import type { Head, SealRecord } from './records.ts'
import { readHead, type SealedBlock } from './replay.ts'
import { dropRecordOf, type Waiting, type WaitingPool } from './waiting.ts'

/** Writes a block to the log with those of its transactions that may not be there, and what was dropped, all of it or nothing. */
export async function logBlock(
  log: AppendLog,
  { block, seal, transactions, dropped }: SealedBlock & { dropped: readonly Waiting[] },
  pool: WaitingPool,
): Promise<void> {
  const unlogged = transactions.flatMap((hash) => pool.get(hash) ?? []).filter(({ logged }) => logged !== 'yes')
  const { number, hash } = block
  const lines = [...unlogged.flatMap(recordsOf), ...dropped.map(dropRecordOf)]
  await log.append(...lines, seal, { type: 'block', number, hash, transactions: [...transactions] })
  for (const waiting of unlogged) waiting.logged = 'yes'
}

/** Makes the block that was decided on, deposits first. Nobody is to hear of it before it is on disk. */
export async function makeBlock(options: {
  engine: Engine
  /** What the block is to build on. */
  head: Head
  seal: SealRecord
  pool: Pick<WaitingPool, 'all'>
  placer: DepositPlacer
  /** Hears of the making as it begins: a promise that settles, and never rejects, when the engine is done with it. */
  begun: (made: Promise<unknown>) => void
  emit: Emit
}): Promise<SealedBlock> {
  const { engine, head, seal, pool, placer, begun, emit } = options
  await placer.place(engine, seal.deposits, pool)
  const mined = engine.call('evm_mine', [seal.timestamp])
  begun(mined.catch(() => {}))
  await mined
  const { transactions, ...block } = await readHead(engine)
  // The log says what the chain is: an engine that had another chain is given up, and one built from the log.
  if (block.number !== seal.number || block.parentHash !== head.hash)
    throw new Error(`sealed block ${seal.number} but the engine is at ${block.number} of another chain`)
  const refused = seal.deposits.filter(({ hash }) => !transactions.includes(hash))
  // Whatever kept them out will do so again, and no later block may have them unsaid. Nothing else of their senders is
  // in the engine's pool now.
  await removeAccounts(engine, new Set(refused.map(({ from }) => from)))
  for (const { hash } of refused) emit({ type: 'deposit-refused', hash })
  return { block, seal, transactions }
}
