import type { Hex } from 'viem'
import type { BlockStore } from '../blocks/block-store.ts'
import { keepBlocksTo } from '../blocks/read-block.ts'
import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { asError, type Emit } from '../kit/events.ts'
import { listLogs, listSnapshots, snapshotFile } from '../kit/files.ts'
import { isDiskFailure } from './disk.ts'
import { loadState, readSize, readState, states, statesFor } from './load-state.ts'
import { sendDeposits } from './place-deposits.ts'
import { type LogPlace, readLiveLog, readLog } from './read-log.ts'
import type { Head, LogRecord, SealRecord, TransactionRecord } from './records.ts'

/** A block with what was decided of it, and the transactions that came into it. */
export type SealedBlock = { block: Head; seal: SealRecord; transactions: readonly Hex[] }

/** Takes down every block, made or replayed, once the log has it and before anybody hears of it. It may be given a block again. */
export type Recorder = (sealed: SealedBlock, call: Engine['call']) => Promise<void>

/** A chain that was rebuilt from disk. */
export type Restored = {
  engine: Engine
  head: Head
  /** Accepted transactions without a block yet, in the order they came, and the head that each came at. */
  pending: Map<Hex, { line: TransactionRecord; since: number }>
  /** What the log has decided of the next block. */
  decided: SealRecord | undefined
  snapshot: number | null
  /** How many blocks and transactions of the log were run. */
  blocks: number
  transactions: number
}

export type ReplayOptions = {
  dir: string
  start: StartEngine
  store: BlockStore
  record: Recorder
  emit: Emit
}

/** Rebuilds the chain in a fresh engine: the newest snapshot that leads to the recorded chain, and the log after it. */
export async function replay(options: ReplayOptions): Promise<Restored> {
  const { dir, emit } = options
  const repaired = (segment: number) => readLog(dir, { segment, bytes: 0 }, emit)
  let notStarted: unknown
  const start: StartEngine = (states) =>
    options.start(states).catch((thrown: unknown) => {
      notStarted = thrown
      throw thrown
    })
  let cause: unknown
  for (const snapshot of listSnapshots(dir)) {
    try {
      return await rebuild({ ...options, start }, snapshot, repaired)
    } catch (thrown) {
      // Neither says anything of the snapshot, and another one would not help.
      if (thrown === notStarted || isDiskFailure(thrown)) throw thrown
      cause ??= thrown
      emit({ type: 'snapshot-unusable', block: snapshot, error: asError(thrown) })
    }
  }
  if (!listLogs(dir).includes(0))
    throw new Error(`${dir} has no usable snapshot and no log that reaches back to the first block`, { cause })
  return await rebuild(options, null, repaired)
}

/** A second engine of a chain that goes on meanwhile. `catchUp` runs what the log has gained since. */
export type Successor = { state: Restored; catchUp: () => Promise<void> }

/**
 * Rebuilds a chain that is at work, at a block that was its head lately, beside its engine. From the newest snapshot
 * before which no states are kept anyway, or the oldest there is. How many states that are follows from how much there
 * is in the newest. `logged` tells how far the log may be read. Null while there is none.
 */
export async function raiseSuccessor(
  options: ReplayOptions,
  head: number,
  logged: () => LogPlace,
): Promise<Successor | null> {
  const { dir } = options
  const snapshots = listSnapshots(dir)
  const [newest] = snapshots
  if (newest === undefined) return null
  const kept = statesFor(await readSize(snapshotFile(dir, newest)))
  const snapshot = snapshots.find((block) => block <= head - kept) ?? snapshots.at(-1) ?? newest
  const place = { segment: snapshot, bytes: 0 }
  const lines = () => readLiveLog(dir, place, logged())
  // The chain at work records its blocks itself.
  const record: Recorder = async () => {}
  const state = await rebuild({ ...options, record }, snapshot, lines, kept)
  return { state, catchUp: () => applyAll(state, lines(), record) }
}

async function rebuild(
  { dir, start, store, record }: ReplayOptions,
  snapshot: number | null,
  linesAfter: (block: number) => AsyncIterable<LogRecord>,
  kept?: number,
): Promise<Restored> {
  const whole = store.last() < (snapshot ?? 0)
  const given = snapshot === null ? null : await readState(snapshotFile(dir, snapshot), { whole })
  const engine = await start(kept ?? (given ? statesFor(given) : states.most))
  try {
    if (given) await loadState(engine, given)
    const { transactions: _, ...head } = await readHead(engine)
    if (head.number !== (snapshot ?? 0)) throw new Error(`snapshot ${snapshot} loaded as block ${head.number}`)
    await keepBlocksTo(store, engine.call, head.number)
    const counts = { blocks: 0, transactions: 0 }
    const state: Restored = { engine, head, pending: new Map(), decided: undefined, snapshot, ...counts }
    await applyAll(state, linesAfter(snapshot ?? 0), record)
    return state
  } catch (error) {
    await engine.kill()
    throw error
  }
}

async function applyAll(state: Restored, lines: AsyncIterable<LogRecord>, record: Recorder): Promise<void> {
  for await (const line of lines) await apply(state, line, record)
}

async function apply(state: Restored, line: LogRecord, record: Recorder): Promise<void> {
  switch (line.type) {
    case 'log':
      if (line.after !== state.head.number || line.hash !== state.head.hash)
        throw mismatch(line.after, line.hash, state.head)
      return
    case 'transaction':
      state.pending.set(line.hash, { line, since: state.head.number })
      return
    case 'drop':
      state.pending.delete(line.hash)
      return
    case 'seal':
      state.decided = line
      return
    case 'block':
      await applyBlock(state, line, record)
  }
}

async function applyBlock(
  state: Restored,
  line: Extract<LogRecord, { type: 'block' }>,
  record: Recorder,
): Promise<void> {
  const { engine, pending, decided: seal } = state
  if (seal?.number !== line.number) throw new Error(`the block log has block ${line.number} without its seal`)
  // One that was refused when the block was made must not be left waiting for the next.
  const deposits = seal.deposits.filter(({ hash }) => line.transactions.includes(hash))
  await sendDeposits(engine, deposits)
  const deposited = new Set(deposits.map(({ hash }) => hash))
  for (const hash of line.transactions) {
    if (deposited.has(hash)) continue
    const waiting = pending.get(hash)
    if (!waiting) throw new Error(`the block log lacks transaction ${hash} of block ${line.number}`)
    await engine.call('eth_sendRawTransaction', [waiting.line.raw])
    pending.delete(hash)
  }
  await engine.call('evm_mine', [seal.timestamp])
  const { transactions, ...block } = await readHead(engine)
  if (block.hash !== line.hash) throw mismatch(line.number, line.hash, block)
  await record({ block, seal, transactions }, engine.call)
  state.head = block
  state.decided = undefined
  state.blocks += 1
  state.transactions += transactions.length
}

/** The engine's newest block with the hashes of its transactions. */
export async function readHead(engine: Engine): Promise<Head & { transactions: Hex[] }> {
  const block = (await engine.call('eth_getBlockByNumber', ['latest', false])) as {
    number: Hex
    hash: Hex
    parentHash: Hex
    timestamp: Hex
    stateRoot: Hex
    transactions: Hex[]
  }
  const { hash, parentHash, stateRoot, transactions } = block
  return {
    number: Number(block.number),
    hash,
    parentHash,
    timestamp: Number(block.timestamp),
    stateRoot,
    transactions,
  }
}

function mismatch(number: number, expected: string, head: Head): Error {
  return new Error(`replay of block ${number} gave ${head.hash} as block ${head.number} where ${expected} was recorded`)
}
