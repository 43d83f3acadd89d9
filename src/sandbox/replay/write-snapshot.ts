import type { BlockStore } from '../blocks/block-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { logFile, removeSuperseded, snapshotFile, writeWhole } from '../kit/files.ts'
import { type AppendLog, beginSegment } from '../log/append-log.ts'
import type { Head } from '../log/records.ts'
import { withdrawFailed } from '../pool/admit.ts'
import { type PendingPool, transactionRecord } from '../pool/pending-pool.ts'
import { retainedStates } from './load-state.ts'

/** Half of the longest possible string. A state is read as one string, and an unreadable one must replace nothing. */
const maxTextBytes = 256 * 1_048_576

/** Throws where the state could not be read again. The last four bytes of a gzip file are the length of its text. */
function demandReadable(state: Buffer): void {
  const length = state.readUInt32LE(state.length - 4)
  if (length > maxTextBytes) throw new Error(`The engine's state is too long to be stored: ${length} bytes of text.`)
}

/**
 * Writes a snapshot of the engine's state at the head, and begins the next log segment with the pending transactions.
 * `onSegment` receives that segment before the old one is closed. Files that are no longer needed are removed. Throws,
 * without a snapshot, where the state is too long to be read again.
 */
export async function writeSnapshot(options: {
  dir: string
  engine: Engine
  log: AppendLog
  head: Head
  pool: PendingPool
  store: BlockStore
  onSegment: (next: AppendLog) => void
  emit: Emit
}): Promise<void> {
  const { dir, engine, log, head, pool, store, onSegment, emit } = options
  const started = performance.now()
  await log.flush()
  // A transaction that failed to be logged may stand in the place of an accepted one.
  await withdrawFailed(engine, pool)
  const state = Buffer.from(String(await engine.call('anvil_dumpState')).slice(2), 'hex')
  demandReadable(state)
  // The block store must be durable before log segments with the same blocks are removed.
  store.sync()
  // The segment first: with it, the older snapshot still leads to the same chain if the new one is never finished.
  const next = await beginSegment(logFile(dir, head.number), [
    { type: 'log', version: 1, after: head.number, hash: head.hash },
    ...pool.all().map(transactionRecord),
  ])
  onSegment(next)
  await log.close()
  writeWhole(snapshotFile(dir, head.number), state)
  removeSuperseded(dir, retainedStates.most)
  const milliseconds = Math.round(performance.now() - started)
  emit({ type: 'snapshot-written', block: head.number, bytes: state.length, milliseconds })
}
