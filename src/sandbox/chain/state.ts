import type { Hex } from 'viem'
import { type SerialQueue, serialQueue } from '../../kit/queues.ts'
import { type BlockStore, openBlockStore } from '../blocks/block-store.ts'
import { storeBlock } from '../blocks/read-block.ts'
import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { type EngineSupervisor, type RunningEngines, superviseEngine, trackEngines } from '../engine/supervisor.ts'
import type { Emit } from '../kit/events.ts'
import { removePastAfter, storeFile } from '../kit/files.ts'
import { createListeners, type Listeners } from '../kit/listeners.ts'
import { engineUnavailable } from '../kit/rpc-error.ts'
import type { AppendLog } from '../log/append-log.ts'
import { DiskError, watchDisk } from '../log/disk-errors.ts'
import type { Head } from '../log/records.ts'
import { createDepositPlacer, type DepositPlacer } from '../pool/deposits.ts'
import { createPendingPool, type PendingPool, type PendingTransaction } from '../pool/pending-pool.ts'
import { retainedStates } from '../replay/load-state.ts'
import { type EngineHistory, openFromDisk } from '../replay/open-from-disk.ts'
import { type PastEngine, pastEngine } from '../replay/past-engine.ts'
import type { MinedBlock, Recorder, ReplayOptions } from '../replay/replay.ts'

export type ChainOptions = {
  dir: string
  start: StartEngine
  /** The longest run of a trace. */
  readSeconds: number
  emit: Emit
  record?: Recorder
  /** Accounts, in lower case, that may use the pool beyond the limits of others. */
  systemAccounts?: ReadonlySet<Hex>
}

/** A block that the engine has mined, with the transactions dropped before it and the time that it took. */
export type UnpublishedBlock = MinedBlock & { dropped: readonly PendingTransaction[]; milliseconds: number }

/** The blocks and transactions since the newest snapshot, and the time that they took. */
export type Work = { steps: number; milliseconds: number }

/** Everything a chain holds in memory. All fields but the constant ones change inside `queue` only. */
export type ChainState = {
  readonly emit: Emit
  /** Runs one change of the chain at a time. */
  readonly queue: SerialQueue
  readonly accepted: Listeners<Hex>
  readonly published: Listeners<Head>
  readonly engines: RunningEngines
  readonly supervisor: EngineSupervisor
  readonly disk: ReturnType<typeof watchDisk>
  readonly store: BlockStore
  readonly placer: DepositPlacer
  readonly systemAccounts: ReadonlySet<Hex>
  readonly replay: ReplayOptions
  readonly past: PastEngine
  pool: PendingPool
  head: Head
  log: AppendLog | undefined
  /** The block after which the newest log segment begins: that of the newest snapshot. */
  segment: number
  history: EngineHistory
  sinceSnapshot: Work
  /** The block that the engine has mined until it is published. It waits here while the disk is full. */
  unpublished: UnpublishedBlock | undefined
  /** Whether the engine may have a block that the log lacks. */
  ahead: boolean
  /** Settles, without rejecting, when the engine has finished its latest block. */
  mining: Promise<unknown>
  /** The running replacement of the engine. */
  replacing: Promise<void>
  closed: boolean
}

export type RunningChain = { engine: Engine; log: AppendLog }

/** Creates the state of a chain and starts to read it from disk. */
export function createState(options: ChainOptions): ChainState {
  const { dir, start, readSeconds, emit, record = async () => {}, systemAccounts = new Set() } = options
  const queue = serialQueue()
  const engines = trackEngines(start)
  const store = openBlockStore(storeFile(dir))
  // The store comes last: with it readers see the block, and listeners are called in the same moment.
  const recordBlock: Recorder = async (mined, call) => {
    await record(mined, call)
    await storeBlock(store, call, mined.block)
  }
  const state: Omit<ChainState, 'supervisor'> = {
    emit,
    queue,
    accepted: createListeners<Hex>(emit),
    published: createListeners<Head>(emit),
    engines,
    disk: watchDisk(emit),
    store,
    placer: createDepositPlacer(),
    systemAccounts,
    past: pastEngine({ dir, store, start: engines.start, runSeconds: readSeconds }),
    replay: { dir, start: engines.start, store, record: recordBlock, emit },
    pool: createPendingPool(),
    head: { number: 0, hash: '0x', parentHash: '0x', timestamp: 0, stateRoot: '0x' },
    log: undefined,
    segment: 0,
    history: { from: 0, steps: 0, states: retainedStates.most },
    sinceSnapshot: { steps: 0, milliseconds: 0 },
    unpublished: undefined,
    ahead: false,
    mining: Promise.resolve(),
    replacing: Promise.resolve(),
    closed: false,
  }
  const supervisor = superviseEngine({ start: () => restore(state), queue, emit })
  return Object.assign(state, { supervisor })
}

/** Replaces everything in memory by what is on disk. */
async function restore(state: Omit<ChainState, 'supervisor'>): Promise<Engine> {
  const started = performance.now()
  await state.log?.close()
  state.log = undefined
  state.unpublished = undefined
  state.ahead = false
  const { engine, ...opened } = await openFromDisk(state.replay)
  Object.assign(state, opened)
  removePastAfter(state.replay.dir, opened.head.number)
  state.sinceSnapshot = { steps: opened.history.steps, milliseconds: performance.now() - started }
  return engine
}

/** The engine and the log, rebuilt first if the engine has exited. Inside the queue only. */
export async function running(state: ChainState): Promise<RunningChain> {
  const engine = await state.supervisor.ready()
  if (!state.log) throw engineUnavailable()
  return { engine, log: state.log }
}

/** Returns the engine and the log as `running` does. Throws DiskError while a mined block cannot be written. */
export async function writable(state: ChainState): Promise<RunningChain> {
  const current = await running(state)
  if (state.unpublished) throw new DiskError(new Error(`block ${state.unpublished.block.number} waits to be written`))
  return current
}
