import { keepBlock } from '../blocks/read-block.ts'
import type { Engine } from '../engine/engine.ts'
import { listLogs, logFile, removeHalfWritten } from '../kit/files.ts'
import { type AppendLog, beginSegment, openAppendLog } from './append-log.ts'
import { states } from './load-state.ts'
import { offer } from './offer.ts'
import type { Head } from './records.ts'
import { type ReplayOptions, type Restored, readHead, replay } from './replay.ts'
import { createWaitingPool, signedIn, type WaitingPool } from './waiting.ts'

/** The block from which on an engine has made a chain itself, the blocks and transactions of that, and the states it keeps. */
export type OwnPart = { from: number; made: number; states: number }

/** A chain as its folder has it, with an engine that has come to its head. */
export type Opened = {
  engine: Engine
  head: Head
  pool: WaitingPool
  /** Open at the end of its last segment, which begins after the block `segment`. */
  log: AppendLog
  segment: number
  own: OwnPart
}

/** Opens the chain that a folder holds, or begins it. Whatever fails, no engine is left running. */
export async function openFromDisk(options: ReplayOptions): Promise<Opened> {
  removeHalfWritten(options.dir)
  return await (listLogs(options.dir).length === 0 ? begin(options) : resume(options))
}

async function begin({ dir, start, store }: ReplayOptions): Promise<Opened> {
  const engine = await start(states.most)
  try {
    const { transactions: _, ...head } = await readHead(engine)
    await keepBlock(store, engine.call, head)
    const log = await beginSegment(logFile(dir, head.number), [
      { type: 'log', version: 1, after: head.number, hash: head.hash },
    ])
    const own = { from: 0, made: 0, states: engine.states }
    return { engine, head, pool: createWaitingPool(), log, segment: head.number, own }
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
    const pool = createWaitingPool()
    for (const { line, since } of pending.values()) pool.add(await signedIn(line), since).logged = 'yes'
    for (const { raw } of pool.all()) await offer(engine, raw)
    const segment = listLogs(dir).at(-1) ?? 0
    const log = await openAppendLog(logFile(dir, segment))
    const milliseconds = Math.round(performance.now() - started)
    emit({ type: 'chain-restored', snapshot, blocks, transactions, pending: pool.size(), milliseconds })
    return { engine, head, pool, log, segment, own: ownPart(restored) }
  } catch (error) {
    await engine.kill()
    throw error
  }
}

/** What of a chain the engine has made that was raised from disk. */
export function ownPart({ snapshot, blocks, transactions, engine }: Restored): OwnPart {
  return { from: snapshot ?? 0, made: blocks + transactions, states: engine.states }
}
