import type { Hex } from 'viem'
import type { BlockStore } from '../blocks/block-store.ts'
import { storeBlocksTo } from '../blocks/read-block.ts'
import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { asError, type Emit } from '../kit/events.ts'
import { listLogs, listSnapshots, snapshotFile } from '../kit/files.ts'
import { isDiskFailure } from '../log/disk-errors.ts'
import { type LogPosition, readLiveLog, readLog } from '../log/read-log.ts'
import type { Head, LogRecord, SealRecord, TransactionRecord } from '../log/records.ts'
import { sendDeposits } from '../pool/deposits.ts'
import { loadState, readSize, readState, retainedStates, statesFor } from './load-state.ts'

/** A mined block with its plan and the hashes of its transactions. */
export type MinedBlock = { block: Head; plan: SealRecord; transactions: readonly Hex[] }

/** Stores data of every mined or replayed block, after it is logged and before it is published. A block may come twice. */
export type Recorder = (mined: MinedBlock, call: Engine['call']) => Promise<void>

/** A chain that was rebuilt from disk. */
export type Restored = {
  engine: Engine
  head: Head
  /** Pending transactions in the order of arrival, and the head block number at each arrival. */
  pending: Map<Hex, { line: TransactionRecord; since: number }>
  /** The plan of the next block, where the log has one. */
  plan: SealRecord | undefined
  /** The block of the snapshot that the engine was started from. */
  snapshot: number | null
  /** How many blocks and transactions of the log were replayed. */
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

/** Rebuilds the chain in a fresh engine from the newest usable snapshot and the log after it. */
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
      // Neither failure is the snapshot's, so another snapshot would not help.
      if (thrown === notStarted || isDiskFailure(thrown)) throw thrown
      cause ??= thrown
      emit({ type: 'snapshot-unusable', block: snapshot, error: asError(thrown) })
    }
  }
  if (!listLogs(dir).includes(0))
    throw new Error(`${dir} has no usable snapshot and no log that reaches back to the first block`, { cause })
  return await rebuild(options, null, repaired)
}

/** A second engine of a running chain. `catchUp` replays what was logged since. */
export type Replacement = { state: Restored; catchUp: () => Promise<void> }

/**
 * Starts a second engine of a running chain, whose head was `head` a moment ago. It starts from the newest snapshot that
 * is old enough for all retained states, or else the oldest. The size of the newest one decides how many are retained.
 * `logged` is the position up to which the log may be read. Returns null while there is no snapshot.
 */
export async function startReplacement(
  options: ReplayOptions,
  head: number,
  logged: () => LogPosition,
): Promise<Replacement | null> {
  const { dir } = options
  const snapshots = listSnapshots(dir)
  const [newest] = snapshots
  if (newest === undefined) return null
  const retained = statesFor(await readSize(snapshotFile(dir, newest)))
  const snapshot = snapshots.find((block) => block <= head - retained) ?? snapshots.at(-1) ?? newest
  const position = { segment: snapshot, bytes: 0 }
  const lines = () => readLiveLog(dir, position, logged())
  // The running chain records its blocks itself.
  const record: Recorder = async () => {}
  const state = await rebuild({ ...options, record }, snapshot, lines, retained)
  return { state, catchUp: () => applyAll(state, lines(), record) }
}

async function rebuild(
  { dir, start, store, record }: ReplayOptions,
  snapshot: number | null,
  linesAfter: (block: number) => AsyncIterable<LogRecord>,
  retained?: number,
): Promise<Restored> {
  const whole = store.last() < (snapshot ?? 0)
  const loaded = snapshot === null ? null : await readState(snapshotFile(dir, snapshot), { whole })
  const engine = await start(retained ?? (loaded ? statesFor(loaded) : retainedStates.most))
  try {
    if (loaded) await loadState(engine, loaded)
    const { transactions: _, ...head } = await readHead(engine)
    if (head.number !== (snapshot ?? 0)) throw new Error(`snapshot ${snapshot} loaded as block ${head.number}`)
    await storeBlocksTo(store, engine.call, head.number)
    const state: Restored = {
      engine,
      head,
      pending: new Map(),
      plan: undefined,
      snapshot,
      blocks: 0,
      transactions: 0,
    }
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
      state.plan = line
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
  const { engine, pending, plan } = state
  if (plan?.number !== line.number) throw new Error(`the block log has block ${line.number} without its plan`)
  // A deposit that was refused when the block was mined must not be left in the pool for the next block.
  const deposits = plan.deposits.filter(({ hash }) => line.transactions.includes(hash))
  await sendDeposits(engine, deposits)
  const deposited = new Set(deposits.map(({ hash }) => hash))
  for (const hash of line.transactions) {
    if (deposited.has(hash)) continue
    const transaction = pending.get(hash)
    if (!transaction) throw new Error(`the block log lacks transaction ${hash} of block ${line.number}`)
    await engine.call('eth_sendRawTransaction', [transaction.line.raw])
    pending.delete(hash)
  }
  await engine.call('evm_mine', [plan.timestamp])
  const { transactions, ...block } = await readHead(engine)
  if (block.hash !== line.hash) throw mismatch(line.number, line.hash, block)
  await record({ block, plan, transactions }, engine.call)
  state.head = block
  state.plan = undefined
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
