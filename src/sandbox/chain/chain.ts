import type { Hex } from 'viem'
import { sharedTurns } from '../../kit/queues.ts'
import type { Engine } from '../engine/engine.ts'
import type { AppendLog } from '../log/append-log.ts'
import type { Head, MakePlan } from '../log/records.ts'
import { acceptanceRecords, admit, onceAtATime, reportDropped, withdrawFailed } from '../pool/admit.ts'
import { isLogged, type Signed } from '../pool/pending-pool.ts'
import { resubmit } from '../pool/resubmit.ts'
import { historyOf } from '../replay/open-from-disk.ts'
import { type Replacement, startReplacement } from '../replay/replay.ts'
import { writeSnapshot } from '../replay/write-snapshot.ts'
import { produceBlock } from './produce-block.ts'
import { chainReader } from './read-chain.ts'
import { type ChainOptions, type ChainState, createState, type Work, writable } from './state.ts'

/** A chain that outlives its engine: everything that it has acknowledged is on disk. */
export type Chain = {
  head: () => Head
  /** The number of accepted transactions that wait for a block. */
  pendingCount: () => number
  /** Calls a method that changes nothing: mined blocks come from the block store, the rest from the engine. Throws RpcError. */
  read: ReturnType<typeof chainReader>
  /** Resolves when a signed transaction is accepted and on disk. Throws RpcError; `already known` for a second one. */
  submit: (transaction: Signed) => Promise<void>
  /** Calls the listener with the hash of every accepted transaction. Returns a function that removes it. */
  onAccepted: (listener: (hash: Hex) => void) => () => void
  /** Calls the listener with every block, from when readers see it. Returns a function that removes it. */
  onBlock: (listener: (block: Head) => void) => () => void
  /** Produces the next block. The plan is also called ahead of time, for the block after it. */
  produceBlock: (plan: MakePlan) => Promise<Head>
  snapshot: () => Promise<void>
  /** The work that a restart would have to replay. */
  sinceSnapshot: () => Work
  /** Replaces the engine by a fresh one between two blocks. Does nothing before the first snapshot. */
  replaceEngine: () => Promise<void>
  /** The number of blocks and transactions that the engine has run and holds in memory besides the state. */
  engineSteps: () => number
  /** Resident memory of the engine in bytes; 0 while there is none. */
  engineMemory: () => Promise<number>
  close: () => Promise<void>
}

/** Opens the chain of a folder, or begins a new one. */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const state = createState(options)
  const { supervisor, queue, store } = state
  await supervisor.current().catch(async (error: unknown) => {
    await close(state)
    throw error
  })
  return {
    head: () => state.head,
    pendingCount: () => state.pool.size(),
    read: chainReader({
      store,
      available: supervisor.available,
      range: () => rangeOf(state),
      mining: () => state.mining,
      pool: () => state.pool,
      past: state.past.call,
      betweenBlocks: sharedTurns(queue),
    }),
    submit: onceAtATime((transaction) => submit(state, transaction)),
    onAccepted: state.accepted.add,
    onBlock: state.published.add,
    produceBlock: (plan) => produceBlock(state, plan),
    snapshot: () => snapshot(state),
    sinceSnapshot: () => state.sinceSnapshot,
    replaceEngine: () => replaceEngine(state),
    engineSteps: () => state.history.steps,
    engineMemory: supervisor.memory,
    close: () => close(state),
  }
}

function rangeOf({ history, head, ahead }: ChainState) {
  const from = Math.max(history.from, head.number - history.states)
  return { from, head: head.number, ahead }
}

async function submit(state: ChainState, transaction: Signed): Promise<void> {
  // Returned inside an object, so that the queue does not wait for the disk.
  const { admitted, logging } = await state.queue(async () => {
    const { engine, log } = await writable(state)
    const { pool, systemAccounts } = state
    const admitted = await admit({ engine, pool, head: state.head.number, systemAccounts }, transaction)
    return { admitted, logging: log.append(...acceptanceRecords(admitted)) }
  })
  try {
    await logging
    admitted.logged = 'yes'
  } catch (error) {
    admitted.logged = 'failed'
    state.disk.failed(error)
    const withdraw = async () => await withdrawFailed((await writable(state)).engine, state.pool)
    await state.queue(withdraw).catch(() => {})
    // A block may have logged the transaction meanwhile.
    if (!isLogged(admitted)) throw error
  }
  state.disk.well()
  reportDropped(admitted, state.emit)
  state.accepted.notify(admitted.hash)
}

async function snapshot(state: ChainState): Promise<void> {
  await state.queue(async () => {
    const current = await writable(state)
    const { head, pool, store, emit } = state
    if (head.number === state.segment) return
    const onSegment = (next: AppendLog) => {
      state.log = next
      state.segment = head.number
    }
    await writeSnapshot({ ...current, dir: state.replay.dir, head, pool, store, onSegment, emit })
    state.sinceSnapshot = { steps: 0, milliseconds: 0 }
  })
}

async function close(state: ChainState): Promise<void> {
  state.closed = true
  state.supervisor.close()
  await state.queue(() => Promise.all([state.log?.close(), state.engines.end()]))
  await Promise.all([state.replacing.catch(() => {}), state.past.close()])
  state.store.close()
}

/**
 * Starts a second engine and makes it the chain's engine between two blocks, while blocks go on being produced. Does
 * nothing while there is no snapshot to start it from. A replacement that the closing of the chain ends is no failure.
 */
function replaceEngine(state: ChainState): Promise<void> {
  state.replacing = replace(state).catch((error: unknown) => {
    if (!state.closed) throw error
  })
  return state.replacing
}

async function replace(state: ChainState): Promise<void> {
  const started = performance.now()
  const logged = () => ({ segment: state.segment, bytes: state.log?.size() ?? 0 })
  const replacement = await startReplacement(state.replay, state.head.number, logged)
  if (!replacement) return
  try {
    // Most blocks are replayed before any caller has to wait.
    await replacement.catchUp()
    const old = await state.queue(() => takeOver(state, replacement, started))
    await old.kill()
  } catch (error) {
    await replacement.state.engine.kill()
    throw error
  }
}

/** Brings the new engine to the head and makes it the current one. Returns the old one. */
async function takeOver(
  state: ChainState,
  { state: restored, catchUp }: Replacement,
  started: number,
): Promise<Engine> {
  const { engine, log } = await writable(state)
  const paused = performance.now()
  const { head, pool } = state
  await log.flush()
  await catchUp()
  if (restored.head.hash !== head.hash)
    throw new Error(`the new engine is at ${restored.head.hash}, not at ${head.hash}`)
  for (const { raw } of pool.all()) await resubmit(restored.engine, raw)
  state.supervisor.replace(restored.engine)
  state.history = historyOf(restored)
  state.emit({
    type: 'engine-replaced',
    block: head.number,
    stateFrom: restored.snapshot ?? 0,
    milliseconds: Math.round(performance.now() - started),
    pausedMilliseconds: Math.round(performance.now() - paused),
  })
  return engine
}
