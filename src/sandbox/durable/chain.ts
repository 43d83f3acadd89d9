import type { Hex } from 'viem'
import { openBlockStore } from '../blocks/block-store.ts'
import { keepBlock } from '../blocks/read-block.ts'
import type { StartEngine } from '../chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { residentBytes } from '../engine/memory.ts'
import { engineUnavailable, RpcError } from '../engine/rpc-error.ts'
import { asError, type Emit } from '../events.ts'
import { createListeners } from '../listeners.ts'
import { type AppendLog, openAppendLog } from './append-log.ts'
import { exclusiveLane } from './exclusive.ts'
import { listLogs, logFile, storeFile } from './files.ts'
import { states } from './load-state.ts'
import { makeBlock } from './make-block.ts'
import { offer, tidyPool } from './offer.ts'
import { chainReader } from './read-chain.ts'
import type { Plan, SealRecord } from './records.ts'
import { recycleEngine, type Standing } from './recycle.ts'
import { type Head, type Recorder, type Restored, readHead, replay } from './replay.ts'
import { trackEngines } from './running-engines.ts'
import { countTail } from './tail.ts'
import { createWaitingPool, recordOf, type Signed, signedIn } from './waiting.ts'
import { writeSnapshot } from './write-snapshot.ts'

/** A chain that outlives its engine: what it has acknowledged is on disk. */
export type Chain = {
  head: () => Head
  /** Accepted transactions that wait for a block. */
  pendingCount: () => number
  /** Asks for something that changes nothing: the block store what is sealed, the engine the rest. Throws RpcError. */
  read: (method: string, params?: unknown) => Promise<unknown>
  /** Takes a signed transaction whose hash is known; settles when it is accepted and on disk. */
  submit: (transaction: Signed) => Promise<void>
  /** Hears the hash of every transaction that `submit` has taken. Answers a function that ends it. */
  onAccepted: (listener: (hash: Hex) => void) => () => void
  /** Makes the next block as it follows from the head before it: deposits first. */
  seal: (plan: (head: Head) => Plan) => Promise<Head>
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

export type ChainOptions = {
  dir: string
  start: StartEngine
  record?: Recorder
  emit: Emit
}

/** Keeps every caller from starting an engine of its own while none can be brought up. */
const restorePauseMs = 1_000

/** Opens the chain a folder holds, or begins it. */
export async function openChain({ dir, start, record = async () => {}, emit }: ChainOptions): Promise<Chain> {
  const lane = exclusiveLane()
  const accepted = createListeners<Hex>(emit)
  const engines = trackEngines(start)
  const tail = countTail()
  const store = openBlockStore(storeFile(dir))
  const rebuilding = { dir, start: engines.start, store, record: keep, emit }
  let pool = createWaitingPool()
  let head: Head = { number: 0, hash: '0x', parentHash: '0x', timestamp: 0, stateRoot: '0x' }
  let log: AppendLog | undefined
  let segment = 0
  /** The block from which on the engine has made the chain itself, and what it has made. */
  let own = { from: 0, made: 0, states: states.most }
  let closed = false
  let retryAt = 0
  let changing: Promise<void> = Promise.resolve()
  let engine = restore()

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
    if (listLogs(dir).length === 0) {
      const fresh = await engines.start(states.most)
      head = await readHead(fresh)
      await keepBlock(store, fresh.call, head)
      log = await openAppendLog(logFile(dir, head.number))
      await log.append({ type: 'log', version: 1, after: head.number, hash: head.hash })
      return watch(fresh)
    }
    const restored = await replay(rebuilding)
    const { snapshot, blocks, transactions } = restored
    head = restored.head
    pool = createWaitingPool()
    for (const { line, since } of restored.pending.values()) pool.add(await signedIn(line), since)
    segment = listLogs(dir).at(-1) ?? 0
    tail.restart()
    tail.add(blocks + transactions, started)
    own = { from: snapshot ?? 0, made: blocks + transactions, states: restored.engine.states }
    log = await openAppendLog(logFile(dir, segment))
    try {
      for (const { raw } of pool.all()) await offer(restored.engine, raw)
    } catch (error) {
      await restored.engine.kill()
      throw error
    }
    const milliseconds = Math.round(performance.now() - started)
    emit({ type: 'chain-restored', snapshot, blocks, transactions, pending: pool.size(), milliseconds })
    return watch(restored.engine)
  }

  function watch(started: Engine): Engine {
    void started.exited.then(() => {
      if (!closed) void lane(ready).catch(() => {})
    })
    return started
  }

  /** The engine and the log, rebuilt first if the engine is gone. Runs in the lane only. */
  async function ready(): Promise<{ engine: Engine; log: AppendLog }> {
    if (closed) throw new RpcError(-32002, 'the sandbox is closed')
    const current = await engine.catch(() => undefined)
    if (!current?.alive()) {
      if (performance.now() < retryAt) throw engineUnavailable()
      engine = restore()
      engine.catch((thrown: unknown) => {
        retryAt = performance.now() + restorePauseMs
        emit({ type: 'restore-failed', error: asError(thrown) })
      })
    }
    const alive = await engine
    if (!log) throw engineUnavailable()
    return { engine: alive, log }
  }

  async function carryOut(current: Engine, to: AppendLog, seal: SealRecord): Promise<Head> {
    const started = performance.now()
    const sealed = await makeBlock({ engine: current, head, seal, pool, emit })
    const { block, transactions } = sealed
    await to.append(seal, { type: 'block', number: block.number, hash: block.hash, transactions: [...transactions] })
    await keep(sealed, current.call)
    for (const hash of transactions) pool.remove(hash)
    head = block
    tail.add(1 + transactions.length, started)
    own.made += 1 + transactions.length
    return block
  }

  async function submit(transaction: Signed): Promise<void> {
    const { hash, raw } = transaction
    const written = await lane(async () => {
      const current = await ready()
      await pool.demandRoom(transaction, async (address) =>
        Number(await current.engine.call('eth_getTransactionCount', [address, 'latest'])),
      )
      await current.engine.call('eth_sendRawTransaction', [raw])
      const replaced = pool.add(transaction, head.number)
      if (replaced && replaced.hash !== hash)
        emit({ type: 'transaction-dropped', hash: replaced.hash, reason: `replaced by ${hash}` })
      // Handed out in an object, since the lane must not wait for the disk.
      return { durable: current.log.append(recordOf(transaction)), engine: current.engine }
    })
    await written.durable.catch(async (error: unknown) => {
      // Nobody knows what reached the disk; the engine must not hold what the log may lack.
      await written.engine.kill()
      throw error
    })
    accepted.tell(hash)
  }

  async function seal(plan: (head: Head) => Plan): Promise<Head> {
    return lane(async () => {
      const current = await ready()
      await tidyPool(current.engine, pool, head.number, emit)
      const decision: SealRecord = { type: 'seal', number: head.number + 1, ...plan(head) }
      try {
        return await carryOut(current.engine, current.log, decision)
      } catch (error) {
        // The engine must not be ahead of the log, and a log that broke must be read again: a restore does both.
        await current.engine.kill()
        throw error
      }
    })
  }

  async function snapshot(): Promise<void> {
    await lane(async () => {
      const current = await ready()
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
    const standing: Standing = (work) => lane(async () => await work({ ...(await ready()), head, pool }))
    const takeOver = (successor: Restored) => {
      engine = Promise.resolve(watch(successor.engine))
      const { snapshot, blocks, transactions } = successor
      own = { from: snapshot ?? 0, made: blocks + transactions, states: successor.engine.states }
    }
    changing = recycleEngine({ rebuilding, head: head.number, standing, takeOver, emit }).catch((error: unknown) => {
      if (!closed) throw error
    })
    return changing
  }

  async function available(): Promise<Engine> {
    if (closed) throw new RpcError(-32002, 'the sandbox is closed')
    const current = await engine.catch(() => undefined)
    return current?.alive() ? current : (await lane(ready)).engine
  }

  async function close(): Promise<void> {
    closed = true
    await lane(() => Promise.all([log?.close(), engines.end()]))
    await changing.catch(() => {})
    store.close()
  }

  await engine.catch((error: unknown) => {
    store.close()
    throw error
  })
  return {
    head: () => head,
    pendingCount: () => pool.size(),
    read: chainReader({
      store,
      available,
      range: () => ({ from: Math.max(own.from, head.number - own.states), loaded: own.from, head: head.number }),
      settled: () => lane(async () => {}),
    }),
    submit,
    onAccepted: accepted.add,
    seal,
    snapshot,
    tail: tail.soFar,
    recycle,
    carried: () => own.made,
    memory: () =>
      engine.then(
        ({ pid }) => residentBytes(pid),
        () => 0,
      ),
    close,
  }
}
