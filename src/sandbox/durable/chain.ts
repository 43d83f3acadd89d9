import type { Hex } from 'viem'
import { openBlockStore } from '../blocks/block-store.ts'
import { keepBlock } from '../blocks/read-block.ts'
import type { Engine } from '../engine/engine.ts'
import { exclusiveLane, inSharedTurns } from '../kit/exclusive.ts'
import { storeFile } from '../kit/files.ts'
import { createListeners } from '../kit/listeners.ts'
import { engineUnavailable } from '../kit/rpc-error.ts'
import { admit, onceAtATime, recordsOf, settle, withdrawFailed } from './accept.ts'
import type { AppendLog } from './append-log.ts'
import { DiskError, isDiskFailure, watchDisk } from './disk.ts'
import { keepEngine } from './keep-engine.ts'
import { states } from './load-state.ts'
import { logBlock, makeBlock } from './make-block.ts'
import { tidyPool } from './offer.ts'
import { depositPlacer } from './place-deposits.ts'
import { chainReader } from './read-chain.ts'
import type { Head, MakePlan, SealRecord } from './records.ts'
import { recycleEngine, type Standing } from './recycle.ts'
import type { Recorder, ReplayOptions, Restored, SealedBlock } from './replay.ts'
import { type OwnPart, openFromDisk, ownPart } from './restore.ts'
import { trackEngines } from './running-engines.ts'
import { countTail } from './tail.ts'
import { createWaitingPool, isLogged, type Signed, type Waiting } from './waiting.ts'
import { writeSnapshot } from './write-snapshot.ts'

/** A chain that outlives its engine: what it has acknowledged is on disk. */
export type Chain = {
  head: () => Head
  /** Accepted transactions that wait for a block. */
  pendingCount: () => number
  /** Asks for something that changes nothing: the block store what is sealed, the engine the rest. Throws RpcError. */
  read: ReturnType<typeof chainReader>
  /** Takes a signed transaction; settles when it is accepted and on disk. Throws `already known` once it is. */
  submit: (transaction: Signed) => Promise<void>
  /** Hears the hash of every transaction that `submit` has taken. Answers a function that ends it. */
  onAccepted: (listener: (hash: Hex) => void) => () => void
  /** Makes the next block as it follows from the head before it: deposits first. The plan is asked for ahead of time too. */
  seal: (plan: MakePlan) => Promise<Head>
  snapshot: () => Promise<void>
  tail: ReturnType<typeof countTail>['soFar']
  /** Puts a fresh engine in the place of the one at work, between two blocks. Nothing happens before the first snapshot. */
  recycle: () => Promise<void>
  /** What the engine carries beside the state: the blocks and transactions that it has made. */
  carried: () => number
  /** The bytes of memory that the engine holds; 0 while there is none. */
  memory: () => Promise<number>
  close: () => Promise<void>
}

export type ChainOptions = Pick<ReplayOptions, 'dir' | 'start' | 'emit'> & {
  record?: Recorder
  /** Accounts, in lower case, that are never kept out by what others have waiting. */
  house?: ReadonlySet<Hex>
}

type Made = SealedBlock & { dropped: readonly Waiting[]; milliseconds: number }

/** Opens the chain a folder holds, or begins it. */
export async function openChain({ dir, start, record = async () => {}, house, emit }: ChainOptions): Promise<Chain> {
  const lane = exclusiveLane()
  const accepted = createListeners<Hex>(emit)
  const engines = trackEngines(start)
  const tail = countTail()
  const disk = watchDisk(emit)
  const store = openBlockStore(storeFile(dir))
  const placer = depositPlacer()
  const rebuilding = { dir, start: engines.start, store, record: keep, emit }
  let pool = createWaitingPool()
  let head: Head = { number: 0, hash: '0x', parentHash: '0x', timestamp: 0, stateRoot: '0x' }
  let log: AppendLog | undefined
  let segment = 0
  let own: OwnPart = { from: 0, made: 0, states: states.most }
  /** A block that the engine has made, until it is told. It waits while the disk is full. */
  let made: Made | undefined
  /** Whether the engine may have a block that the log lacks. */
  let ahead = false
  let mining: Promise<unknown> = Promise.resolve()
  let closed = false
  let changing: Promise<void> = Promise.resolve()
  const kept = keepEngine({ raise: restore, lane, emit })

  /** A block is in the store before anybody hears of it. */
  async function keep(...[sealed, call]: Parameters<Recorder>): Promise<void> {
    await keepBlock(store, call, sealed.block)
    await record(sealed, call)
  }

  /** Runs in the lane only, save at the very start. Whatever memory held is replaced by what the disk holds. */
  async function restore(): Promise<Engine> {
    const started = performance.now()
    await log?.close()
    log = undefined
    made = undefined
    ahead = false
    const opened = await openFromDisk(rebuilding)
    ;({ head, pool, log, segment, own } = opened)
    tail.restart()
    tail.add(own.made, started)
    return opened.engine
  }

  /** The engine and the log, rebuilt first if the engine is gone. Runs in the lane only. */
  async function ready(): Promise<{ engine: Engine; log: AppendLog }> {
    const engine = await kept.ready()
    if (!log) throw engineUnavailable()
    return { engine, log }
  }

  /** Has the engine make the next block. It is ahead of what may be told from then on. */
  async function make(current: Engine, plan: MakePlan): Promise<Made> {
    const seal: SealRecord = { type: 'seal', number: head.number + 1, ...plan(head) }
    await withdrawFailed(current, pool)
    const dropped = await tidyPool(current, pool, head.number, emit)
    const started = performance.now()
    ahead = true
    try {
      const begun = (made: Promise<unknown>) => (mining = made)
      const sealed = await makeBlock({ engine: current, head, seal, pool, placer, begun, emit })
      return { ...sealed, dropped, milliseconds: performance.now() - started }
    } catch (error) {
      // It may have made the block all the same, or half of it.
      await current.kill()
      throw error
    }
  }

  /** Writes a made block down: it is the chain's once the log has it, and is told of once all else has it too. */
  async function tell(current: { engine: Engine; log: AppendLog }, block: Made): Promise<Head> {
    try {
      if (ahead) {
        await logBlock(current.log, block, pool)
        for (const hash of block.transactions) pool.remove(hash)
        head = block.block
        ahead = false
        tail.add(1 + block.transactions.length, performance.now() - block.milliseconds)
        own.made += 1 + block.transactions.length
      }
      await keep(block, current.engine.call)
    } catch (error) {
      // A full disk has room again some day, and the block is still the one. Else only the log says what it is.
      if (isDiskFailure(error)) disk.failed(error)
      else await current.engine.kill()
      throw error
    }
    disk.well()
    made = undefined
    return block.block
  }

  async function seal(plan: MakePlan): Promise<Head> {
    return lane(async () => {
      const current = await ready()
      made ??= await make(current.engine, plan)
      const block = await tell(current, made)
      await placer.begin(current.engine, () => plan(head).deposits, pool)
      return block
    })
  }

  /** As `ready`, where no block waits for the disk. */
  async function written(): Promise<{ engine: Engine; log: AppendLog }> {
    const current = await ready()
    if (made) throw new DiskError(new Error(`block ${made.block.number} waits to be written`))
    return current
  }

  async function submit(transaction: Signed): Promise<void> {
    // Handed out in an object, since the lane must not wait for the disk.
    const { waiting, logging } = await lane(async () => {
      const current = await written()
      const waiting = await admit({ ...current, pool, head: head.number, house }, transaction)
      return { waiting, logging: current.log.append(...recordsOf(waiting)) }
    })
    try {
      await logging
      waiting.logged = 'yes'
    } catch (error) {
      waiting.logged = 'failed'
      disk.failed(error)
      await lane(async () => await withdrawFailed((await written()).engine, pool)).catch(() => {})
      // A block may have taken it along to the disk.
      if (!isLogged(waiting)) throw error
    }
    disk.well()
    settle(waiting, emit)
    accepted.tell(waiting.hash)
  }

  async function snapshot(): Promise<void> {
    await lane(async () => {
      const current = await written()
      if (head.number === segment) return
      const onSegment = (next: AppendLog) => {
        log = next
        segment = head.number
      }
      await writeSnapshot({ ...current, dir, head, pool, store, onSegment, emit })
      tail.restart()
    })
  }

  function recycle(): Promise<void> {
    const standing: Standing = (work) => lane(async () => await work({ ...(await written()), head, pool }))
    const takeOver = (successor: Restored) => {
      kept.replace(successor.engine)
      own = ownPart(successor)
    }
    const logged = () => ({ segment, bytes: log?.size() ?? 0 })
    const options = { rebuilding, head: head.number, logged, standing, takeOver, emit }
    changing = recycleEngine(options).catch((error: unknown) => {
      if (!closed) throw error
    })
    return changing
  }

  async function close(): Promise<void> {
    closed = true
    kept.close()
    await lane(() => Promise.all([log?.close(), engines.end()]))
    await changing.catch(() => {})
    store.close()
  }

  await kept.current().catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    head: () => head,
    pendingCount: () => pool.size(),
    read: chainReader({
      store,
      available: kept.available,
      range: () => ({ from: Math.max(own.from, head.number - own.states), loaded: own.from, head: head.number, ahead }),
      mining: () => mining,
      standing: inSharedTurns(lane),
    }),
    submit: onceAtATime(submit),
    onAccepted: accepted.add,
    seal,
    snapshot,
    tail: tail.soFar,
    recycle,
    carried: () => own.made,
    memory: kept.memory,
    close,
  }
}
