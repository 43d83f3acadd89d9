import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { engineUnavailable, isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'
import { asError, type Emit } from '../events.ts'
import { createListeners } from '../listeners.ts'
import { type AppendLog, beginSegment, openAppendLog } from './append-log.ts'
import { exclusiveLane } from './exclusive.ts'
import { listLogs, logFile, removeSuperseded, snapshotFile, writeWhole } from './files.ts'
import { offer } from './offer.ts'
import { placeDeposits } from './place-deposits.ts'
import type { Plan, SealRecord } from './records.ts'
import { type Head, type Recorder, readHead, replay } from './replay.ts'
import { within } from './within.ts'

/** A chain that outlives its engine: what it has acknowledged is on disk. */
export type Chain = {
  head: () => Head
  /** Accepted transactions that wait for a block. */
  pendingCount: () => number
  /** Asks the engine for something that changes nothing, waiting for it while it is rebuilt. */
  read: (method: string, params?: unknown) => Promise<unknown>
  /** Takes a signed transaction whose hash is known; settles when it is accepted and on disk. */
  submit: (hash: Hex, raw: Hex) => Promise<void>
  /** Hears the hash of every transaction that `submit` has taken. Answers a function that ends it. */
  onAccepted: (listener: (hash: Hex) => void) => () => void
  /** Makes the next block as it follows from the head before it: deposits first. */
  seal: (plan: (head: Head) => Plan) => Promise<Head>
  snapshot: () => Promise<void>
  /** The cost of replaying what the newest snapshot lacks, in blocks and transactions. */
  tail: () => number
  close: () => Promise<void>
}

export type ChainOptions = {
  dir: string
  /** Starts an engine that is at this chain's genesis. */
  start: () => Promise<Engine>
  record?: Recorder
  emit: Emit
}

const maxPending = 10_000
/** How often a transaction that the engine dropped is offered again, once a block. */
const maxOffers = 150
const readPatienceMs = 5_000
/** Keeps every caller from starting an engine of its own while none can be brought up. */
const restorePauseMs = 1_000

/** Opens the chain a folder holds, or begins it. */
export async function openChain({ dir, start, record = async () => {}, emit }: ChainOptions): Promise<Chain> {
  const lane = exclusiveLane()
  const offers = new Map<Hex, number>()
  let pending = new Map<Hex, Hex>()
  const accepted = createListeners<Hex>(emit)
  let head: Head = { number: 0, hash: '0x', parentHash: '0x', timestamp: 0, stateRoot: '0x' }
  let log: AppendLog | undefined
  let segment = 0
  let tail = 0
  let closed = false
  let retryAt = 0
  let engine = restore()

  /** Runs in the lane only, save at the very start. Whatever memory held is replaced by what the disk holds. */
  async function restore(): Promise<Engine> {
    const started = performance.now()
    await log?.close()
    log = undefined
    if (listLogs(dir).length === 0) {
      const fresh = await start()
      head = await readHead(fresh)
      log = await openAppendLog(logFile(dir, head.number))
      await log.append({ type: 'log', version: 1, after: head.number, hash: head.hash })
      return watch(fresh)
    }
    const restored = await replay({ dir, start, record, emit })
    ;({ head, pending } = restored)
    segment = listLogs(dir).at(-1) ?? 0
    tail = restored.blocks + restored.transactions
    log = await openAppendLog(logFile(dir, segment))
    offers.clear()
    try {
      for (const raw of pending.values()) await offer(restored.engine, raw)
      if (restored.unfinished) await makeBlock(restored.engine, log, restored.unfinished)
    } catch (error) {
      await restored.engine.kill()
      throw error
    }
    const { snapshot, blocks, transactions } = restored
    const milliseconds = Math.round(performance.now() - started)
    emit({ type: 'chain-restored', snapshot, blocks, transactions, pending: pending.size, milliseconds })
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

  async function makeBlock(current: Engine, to: AppendLog, seal: SealRecord): Promise<Head> {
    if (seal.deposits.length > 0) await placeDeposits(current, seal.deposits, pending)
    await current.call('evm_mine', [seal.timestamp], 30_000)
    const { transactions, ...block } = await readHead(current)
    // The log says what the chain is: an engine that had another chain is given up, and one built from the log.
    if (block.number !== head.number + 1 || block.parentHash !== head.hash)
      throw new Error(`sealed block ${head.number + 1} but the engine is at ${block.number} of another chain`)
    for (const { hash } of seal.deposits) {
      if (transactions.includes(hash)) continue
      // Whatever kept it out will do so again, and no later block may have it unsaid.
      await current.call('anvil_dropTransaction', [hash])
      emit({ type: 'deposit-refused', hash })
    }
    await record({ block, seal, transactions }, current.call)
    // Not awaited: the seal before it already decides what this block is.
    to.append({ type: 'block', number: block.number, hash: block.hash, transactions }).catch(() => {})
    for (const hash of transactions) {
      pending.delete(hash)
      offers.delete(hash)
    }
    head = block
    tail += 1 + transactions.length
    return block
  }

  /** The engine forgets a transaction it cannot execute now; it was acknowledged, so it is offered again for a while. */
  async function offerDropped(current: Engine): Promise<void> {
    for (const [hash, raw] of pending) {
      if (await current.call('eth_getTransactionByHash', [hash])) continue
      const count = (offers.get(hash) ?? 0) + 1
      offers.set(hash, count)
      const reason = count > maxOffers ? 'could not be executed' : await offer(current, raw)
      if (reason === null || (count <= maxOffers && !reason.includes('nonce too low'))) continue
      await current.call('anvil_dropTransaction', [hash])
      pending.delete(hash)
      offers.delete(hash)
      emit({ type: 'transaction-dropped', hash, reason })
    }
  }

  async function submit(hash: Hex, raw: Hex): Promise<void> {
    const written = await lane(async () => {
      const current = await ready()
      if (pending.size >= maxPending) throw new RpcError(-32003, 'txpool is full')
      await current.engine.call('eth_sendRawTransaction', [raw])
      pending.set(hash, raw)
      // Handed out in an object, since the lane must not wait for the disk.
      return { durable: current.log.append({ type: 'transaction', hash, raw }), engine: current.engine }
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
      if (pending.size > 0) await offerDropped(current.engine)
      const decision: SealRecord = { type: 'seal', number: head.number + 1, ...plan(head) }
      try {
        await current.log.append(decision)
        return await makeBlock(current.engine, current.log, decision)
      } catch (error) {
        // A decision on disk must be carried out as it stands, and a log that broke be read again: a restore does both.
        await current.engine.kill()
        throw error
      }
    })
  }

  async function snapshot(): Promise<void> {
    await lane(async () => {
      const current = await ready()
      if (head.number === segment) return
      const started = performance.now()
      await current.log.flush()
      const state = Buffer.from(String(await current.engine.call('anvil_dumpState')).slice(2), 'hex')
      // The next segment first: with it, the older snapshot still leads to the same chain if the new one is never finished.
      const next = await beginSegment(logFile(dir, head.number), [
        { type: 'log', version: 1, after: head.number, hash: head.hash },
        ...[...pending].map(([hash, raw]) => ({ type: 'transaction' as const, hash, raw })),
      ])
      log = next
      segment = head.number
      await current.log.close()
      writeWhole(snapshotFile(dir, head.number), state)
      tail = 0
      removeSuperseded(dir)
      emit({
        type: 'snapshot-written',
        block: head.number,
        bytes: state.length,
        milliseconds: Math.round(performance.now() - started),
      })
    })
  }

  async function read(method: string, params: unknown = []): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      const current = await within(readPatienceMs, available())
      try {
        return await current.call(method, params)
      } catch (error) {
        // A read that the engine took with it when it died is asked once more.
        if (attempt > 0 || current.alive() || !isEngineUnavailable(error)) throw error
      }
    }
  }

  async function available(): Promise<Engine> {
    if (closed) throw new RpcError(-32002, 'the sandbox is closed')
    const current = await engine.catch(() => undefined)
    return current?.alive() ? current : (await lane(ready)).engine
  }

  async function close(): Promise<void> {
    closed = true
    await lane(async () => {
      await log?.close()
      await (await engine.catch(() => undefined))?.kill()
    })
  }

  await engine
  return {
    head: () => head,
    pendingCount: () => pending.size,
    read,
    submit,
    onAccepted: accepted.add,
    seal,
    snapshot,
    tail: () => tail,
    close,
  }
}
