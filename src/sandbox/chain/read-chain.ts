import { type Hex, numberToHex } from 'viem'
import { blockShownBy, type NodeCaller } from '../../domain/ports/node.ts'
import type { BlockStore } from '../blocks/block-store.ts'
import { type ReadStored, storedNumber, storedReader } from '../blocks/read-stored.ts'
import type { Engine } from '../engine/engine.ts'
import type { Lane, Run } from '../engine/reads.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import { firstMissingNonce } from '../pool/limits.ts'
import type { PendingPool } from '../pool/pending-pool.ts'
import { pendingFor } from '../pool/pool-on-fork.ts'
import { waitingTransaction } from '../pool/wire-transaction.ts'
import { mineAgain } from '../replay/mine-again.ts'
import type { PastEngine } from '../replay/past-engine.ts'
import { type Call, isPendingCount, namedNumber, namesMinedBlock, stateBlockOf, stateTag, withBlock } from './calls.ts'
import { ruleOf } from './methods.ts'
import { poolReader } from './read-pool.ts'
import { runCode } from './run-code.ts'

type ReadOptions = {
  store: BlockStore
  /** The engine, as soon as it is running. */
  available: () => Promise<Engine>
  /**
   * The first block whose state is available, and the newest logged block. `ahead` means that the engine may have one more.
   */
  range: () => { from: number; head: number; ahead: boolean }
  /** Settles, without rejecting, when the engine has finished its latest block. */
  mining: () => Promise<unknown>
  /** The transactions that wait for a block. */
  pool: () => Pick<PendingPool, 'all' | 'get' | 'of'>
  /** Calls a method where a block is among the last ones, although the engine has forgotten it. */
  past: PastEngine['call']
  /** Runs work while no block is half mined and no transaction is half admitted. */
  betweenBlocks: <T>(work: () => Promise<T>) => Promise<T>
}

type Reader = ReadOptions & { readStored: ReadStored }

/**
 * For whom a call is made. `sender` is the sender of a transaction: long calls wait in a queue of that sender. What a
 * `lane` reads by running code runs beside the engine, unless its `signal` aborts before; its `caller` learns the gas.
 */
type Reading = {
  sender?: Hex | undefined
  lane?: Lane | undefined
  caller?: NodeCaller | undefined
  signal?: AbortSignal | undefined
}

type Read = (method: string, params?: unknown, reading?: Reading) => Promise<unknown>

const engineTimeoutMs = 5_000

/** With more gas a run may make so many calls that its trace takes the engine more than a fraction of a second. */
export const maxTracedGas = 1_000_000

/** Creates the function that reads a chain: mined blocks from the block store, the rest from the engine. */
export function chainReader(options: ReadOptions): Read {
  const reader: Reader = { ...options, readStored: storedReader(options.store, () => nextBaseFee(reader)) }
  const readPool = poolReader({
    ...options,
    head: () => options.range().head,
    withEngine: (work) => withEngine(reader, work),
  })
  return async (method, params = [], reading = {}) => {
    const call: Call = { method, params: Array.isArray(params) ? params : [] }
    if (needsUnpublished(reader, call)) await blockPublished(reader)
    if (namesUnpublished(reader, call)) return absent(call)
    if (method === 'eth_gasPrice') return await gasPrice(reader)
    const pool = await readPool(call)
    if (pool !== undefined) return pool
    const stored = await reader.readStored(method, call.params)
    if (stored !== undefined) return stored
    return (await readPublished(reader, call, reading)) ?? waitingIn(reader, call)
  }
}

/** The accepted transaction that a call asks for: the engine may have dropped it, and gets it again later. */
function waitingIn({ pool }: Reader, { method, params }: Call): unknown {
  const waiting = method === 'eth_getTransactionByHash' ? pool().get(params[0] as Hex) : undefined
  return waiting ? waitingTransaction(waiting) : null
}

/** The newest block that readers may see: it is in the log and in the store. */
function published({ range, store }: Reader): number {
  return Math.min(range().head, store.last())
}

/** Whether the engine may have a block that readers may not see yet. */
function isAhead(reader: Reader): boolean {
  const { head, ahead } = reader.range()
  return ahead || published(reader) < head
}

/** Waits until the block that is being produced is published. */
async function blockPublished({ betweenBlocks }: Reader): Promise<void> {
  await betweenBlocks(async () => {})
}

/** Whether a call is about a block that only the engine may have, or about the block after that. */
function needsUnpublished(reader: Reader, call: Call): boolean {
  return namesUnpublished(reader, call) || (isAhead(reader) && stateTag(call) === 'pending')
}

function namesUnpublished(reader: Reader, call: Call): boolean {
  if (!isAhead(reader)) return false
  if (call.method === 'debug_traceTransaction') return reader.store.transaction(call.params[0] as Hex) === undefined
  return namedNumber(call) > published(reader)
}

/** The result for a block or transaction that does not exist. */
function absent(call: Call): null {
  if (namesMinedBlock(call)) return null
  throw new RpcError(-32000, call.method === 'debug_traceTransaction' ? 'transaction not found' : 'header not found')
}

/** The base fee of the block after the newest published one, as the engine computes it. */
async function nextBaseFee(reader: Reader): Promise<Hex> {
  const params = ['0x1', numberToHex(published(reader)), []]
  const history = (await callEngine(reader, { method: 'eth_feeHistory', params })) as { baseFeePerGas: Hex[] }
  return history.baseFeePerGas.at(-1) ?? '0x0'
}

/** The next base fee plus the engine's tip. The engine's own gas price may be that of an unpublished block. */
async function gasPrice(reader: Reader): Promise<Hex> {
  const tip = (await callEngine(reader, { method: 'eth_maxPriorityFeePerGas', params: [] })) as Hex
  return numberToHex(BigInt(await nextBaseFee(reader)) + BigInt(tip))
}

/** The number of the mined block whose state a call reads. */
function stateNumber({ store }: Reader, call: Call): number | undefined {
  if (call.method === 'debug_traceTransaction') {
    const block = store.transaction(call.params[0] as Hex)?.block
    return block && block - 1
  }
  const block = storedNumber(store, stateBlockOf(call))
  return call.method.startsWith('debug_traceBlock') && block !== undefined ? block - 1 : block
}

/**
 * Calls the engine and hides blocks that are not published. The engine has a block a moment before it is on disk, and the
 * block may never get there. The call is repeated once after the block should be published.
 */
async function readPublished(reader: Reader, call: Call, reading: Reading): Promise<unknown> {
  const read = () => callAtHead(reader, call, reading)
  const result = await read()
  if (isPublished(reader, call, result)) return result
  await blockPublished(reader)
  if (isPublished(reader, call, result)) return result
  const again = await read()
  if (isPublished(reader, call, again)) return again
  if (call.method === 'eth_getLogs' && Array.isArray(again)) return again.filter((log) => shows(reader, call, log))
  return withoutBlock(again)
}

function isPublished(reader: Reader, call: Call, result: unknown): boolean {
  // The blocks of a simulation exist in its result only.
  return call.method === 'eth_simulateV1' || [result].flat().every((each) => shows(reader, call, each))
}

/** Whether a result shows no block beyond the newest published one, or the pending one where that was requested. */
function shows(reader: Reader, { params }: Call, result: unknown): boolean {
  return Number(blockShownBy(result) ?? -1n) <= published(reader) + (params[0] === 'pending' ? 1 : 0)
}

/** A result whose block is not published: a transaction is still pending, and nothing else exists. */
function withoutBlock(result: unknown): unknown {
  const isTransaction =
    typeof result === 'object' && result !== null && 'hash' in result && 'transactionIndex' in result
  return isTransaction ? { ...result, blockHash: null, blockNumber: null, transactionIndex: null } : null
}

async function callAtHead(reader: Reader, call: Call, reading: Reading): Promise<unknown> {
  try {
    return await callEngine(reader, atHead(reader, call, reading), reading)
  } catch (error) {
    const isOther = isRevert(error) || isEngineUnavailable(error) || isTraceOfMined(call)
    const block = isOther ? undefined : stateNumber(reader, call)
    const { from } = reader.range()
    throw block !== undefined && block < from ? stateGone(from) : error
  }
}

/**
 * Names the newest published block by its number where a call reads the newest state. The engine may have a newer block
 * by the time that it receives the call.
 */
function atHead(reader: Reader, call: Call, { lane }: Reading): Call {
  const tag = stateTag(call)
  // A fork makes its own block after the published one.
  const isForked = lane !== undefined && ruleOf(call.method)?.runsCode === true
  if (tag === undefined || (tag === 'pending' && (isForked || !isAhead(reader)))) return call
  return withBlock(call, numberToHex(published(reader)))
}

async function callEngine(reader: Reader, call: Call, reading: Reading = {}): Promise<unknown> {
  return await withEngine(reader, (engine) => callOnce(reader, engine, call, reading))
}

/** Does work with the engine. What was lost because the engine exited is repeated once. */
async function withEngine<T>(reader: Reader, work: (engine: Engine) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const engine = await within(engineTimeoutMs, reader.available())
    try {
      return await work(engine)
    } catch (error) {
      if (attempt > 0 || engine.alive() || !isEngineUnavailable(error)) throw error
    }
  }
}

async function callOnce(reader: Reader, engine: Engine, call: Call, reading: Reading): Promise<unknown> {
  const { method, params } = call
  const { sender, lane, caller, signal } = reading
  if (isTraceOfMined(call)) return await traceMined(reader, engine, call, reading)
  const readBlock = lane === undefined ? undefined : runBlockOf(reader, call)
  if (lane !== undefined && readBlock !== undefined) {
    const tag = stateTag(call) ?? 'latest'
    // Trades know what they have sent, and would give each fork another pool.
    const seesPool = tag === 'pending' && lane === 'public'
    const prepared = seesPool ? pendingFor(reader.pool(), senderOf(params)) : undefined
    const run = engine.openRead({ lane, block: readBlock, prepared, caller, signal })
    return await runCode(run, method, params.toSpliced(1, 1, tag), caller)
  }
  const sideBlock = sideBlockOf(reader, call)
  if (isPendingCount(call)) return await reader.betweenBlocks(() => pendingCount(reader, engine, params))
  if (sideBlock !== undefined) return await engine.sideCall(sideBlock, method, params.toSpliced(1, 1, 'latest'), sender)
  return await callBetweenBlocks(reader, engine, call)
}

/** The next nonce after all that was accepted, whether or not the engine has it at the moment. */
async function pendingCount({ pool }: Reader, engine: Engine, params: readonly unknown[]): Promise<unknown> {
  const count = await engine.call('eth_getTransactionCount', params.with(1, 'latest'))
  const own = pool().of(String(params[0]).toLowerCase() as Hex)
  return numberToHex(firstMissingNonce(own, Number(count)))
}

/** The sender of the transaction that a read runs. */
function senderOf([transaction]: readonly unknown[]): unknown {
  return (transaction as { from?: unknown } | undefined)?.from
}

/** Whether a call asks for a trace of what a block has run. */
function isTraceOfMined({ method }: Call): boolean {
  return method === 'debug_traceTransaction' || method === 'debug_traceBlockByNumber'
}

/** Has a fork at the block before mine the block again, and traces there: a trace would stop the engine itself. */
async function traceMined(reader: Reader, engine: Engine, call: Call, { lane = 'own', caller, signal }: Reading) {
  const before = stateNumber(reader, call)
  if (before === undefined) throw new RpcError(-32000, 'header not found')
  const number = before + 1
  if (before < reader.range().from) return await reader.past(number, call.method, call.params, caller)
  const prepared = { name: 'and the next one', work: (run: Run) => mineAgain(run, reader.store, number, 'roots') }
  const run = engine.openRead({ lane, block: before, prepared, caller, signal })
  return await runCode(run, call.method, call.params, caller)
}

/** The block for a call that runs on the side engine, because it would delay the main one. */
function sideBlockOf(reader: Reader, call: Call): number | undefined {
  const { gas } = (call.params[0] ?? {}) as { gas?: unknown }
  const isShort = Number(gas ?? Number.POSITIVE_INFINITY) <= maxTracedGas
  return call.method !== 'debug_traceCall' || isShort ? undefined : runBlockOf(reader, call)
}

/** The block whose state a call runs code on; undefined for other calls, and where the state is not stored. */
function runBlockOf(reader: Reader, { method, params: [, id = 'latest'] }: Call): number | undefined {
  if (ruleOf(method)?.runsCode !== true) return undefined
  const isTag = typeof id === 'string' && !id.startsWith('0x')
  const block = storedNumber(reader.store, id) ?? (isTag ? published(reader) : undefined)
  return block !== undefined && block >= reader.range().from ? Math.min(block, published(reader)) : undefined
}

/**
 * Calls the engine, and repeats the call where the engine may have mined a block meanwhile: its newest state is then
 * that of a block which is not published yet, so the repeated call names the newest published block by its number.
 */
async function callBetweenBlocks(reader: Reader, engine: Engine, call: Call): Promise<unknown> {
  const { method, params } = call
  const readsNewest = stateTag(call) !== undefined || stateNumber(reader, call) === published(reader)
  if (!readsNewest) return await engine.call(method, params)
  const named = withBlock(call, numberToHex(published(reader)))
  const lastBlock = reader.mining()
  await lastBlock
  const result = engine.call(method, params)
  await result.catch(() => {})
  if (reader.mining() === lastBlock) return await result
  await reader.mining()
  return await engine.call(method, named.params)
}

function stateGone(from: number): RpcError {
  return new RpcError(
    4444,
    `state not available: the state of this block is no longer stored. States are available from block ${from} on.`,
  )
}

function isRevert(error: unknown): boolean {
  return error instanceof RpcError && error.code === 3
}
