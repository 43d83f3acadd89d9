import { storeBlock } from '../blocks/read-block.ts'
import type { Engine } from '../engine/engine.ts'
import { listLogs, logFile, removeHalfWritten } from '../kit/files.ts'
import { type AppendLog, beginSegment, openAppendLog } from '../log/append-log.ts'
import type { Head } from '../log/records.ts'
import { createPendingPool, type PendingPool, signedFromRecord } from '../pool/pending-pool.ts'
import { resubmit } from '../pool/resubmit.ts'
import { retainedStates } from './load-state.ts'
import { type ReplayOptions, type Restored, readHead, replay } from './replay.ts'

/** What an engine knows by itself: the first block of it, the blocks and transactions since, and its retained states. */
export type EngineHistory = { from: number; steps: number; states: number }

/** A chain as its folder describes it, with an engine at its head. */
type Opened = {
  engine: Engine
  head: Head
  pool: PendingPool
  /** Open at the end of its last segment, which begins after the block `segment`. */
  log: AppendLog
  segment: number
  history: EngineHistory
}

/** Opens the chain of a folder, or begins a new one. Where that fails, no engine is left running. */
export async function openFromDisk(options: ReplayOptions): Promise<Opened> {
  removeHalfWritten(options.dir)
  return await (listLogs(options.dir).length === 0 ? begin(options) : resume(options))
}

async function begin({ dir, start, store }: ReplayOptions): Promise<Opened> {
  const engine = await start(retainedStates.most)
  try {
    const { transactions: _, ...head } = await readHead(engine)
    await storeBlock(store, engine.call, head)
    const log = await beginSegment(logFile(dir, head.number), [
      { type: 'log', version: 1, after: head.number, hash: head.hash },
    ])
    const history = { from: 0, steps: 0, states: engine.states }
    return { engine, head, pool: createPendingPool(), log, segment: head.number, history }
  } catch (error) {
    await engine.kill()
    throw error
  }
}

async function resume(options: ReplayOptions): Promise<Opened> {
  const { dir, emit } = options
  const started = performance.now()
  const restored = await replay(options)
  const { engine, head, pending, snapshot, blocks, transactions } = restored
  try {
    const pool = createPendingPool()
    for (const { line, since } of pending.values()) pool.add(await signedFromRecord(line), since).logged = 'yes'
    for (const { raw } of pool.all()) await resubmit(engine, raw)
    const segment = listLogs(dir).at(-1) ?? 0
    const log = await openAppendLog(logFile(dir, segment))
    const milliseconds = Math.round(performance.now() - started)
    emit({ type: 'chain-restored', snapshot, blocks, transactions, pending: pool.size(), milliseconds })
    return { engine, head, pool, log, segment, history: historyOf(restored) }
  } catch (error) {
    await engine.kill()
    throw error
  }
}

/** The history of an engine that was started from disk. */
export function historyOf({ snapshot, blocks, transactions, engine }: Restored): EngineHistory {
  return { from: snapshot ?? 0, steps: blocks + transactions, states: engine.states }
}
