import type { BlockStore } from '../blocks/block-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { logFile, removeSuperseded, snapshotFile, writeWhole } from '../kit/files.ts'
import { withdrawFailed } from './accept.ts'
import { type AppendLog, beginSegment } from './append-log.ts'
import { states } from './load-state.ts'
import type { Head } from './records.ts'
import { recordOf, type WaitingPool } from './waiting.ts'

/** Half of what the longest string holds: a state is read as one, and what cannot be read must replace nothing. */
const mostText = 256 * 1_048_576

/** Throws where the state could not be read again. A gzip file tells the length of its text in its last four bytes. */
function demandReadable(state: Buffer): void {
  const length = state.readUInt32LE(state.length - 4)
  if (length > mostText) throw new Error(`The state of the engine is too long to be kept: ${length} bytes of text.`)
}

/**
 * Writes the engine's state at the head, and begins the next segment of the log with what waits, which `onSegment` is
 * to write to from then on. Files that are superfluous then are removed. A state too long to be read again is not written.
 */
export async function writeSnapshot(options: {
  dir: string
  engine: Engine
  log: AppendLog
  head: Head
  pool: WaitingPool
  store: BlockStore
  onSegment: (next: AppendLog) => void
  emit: Emit
}): Promise<void> {
  const { dir, engine, log, head, pool, store, onSegment, emit } = options
  const started = performance.now()
  await log.flush()
  // What did not get there may stand in the place of what did.
  await withdrawFailed(engine, pool)
  const state = Buffer.from(String(await engine.call('anvil_dumpState')).slice(2), 'hex')
  demandReadable(state)
  // The blocks of the log that the snapshot makes superfluous must be in the store for good.
  store.sync()
  // The next segment first: with it, the older snapshot still leads to the same chain if the new one is never finished.
  const next = await beginSegment(logFile(dir, head.number), [
    { type: 'log', version: 1, after: head.number, hash: head.hash },
    ...pool.all().map(recordOf),
  ])
  onSegment(next)
  await log.close()
  writeWhole(snapshotFile(dir, head.number), state)
  removeSuperseded(dir, states.most)
  const milliseconds = Math.round(performance.now() - started)
  emit({ type: 'snapshot-written', block: head.number, bytes: state.length, milliseconds })
}
