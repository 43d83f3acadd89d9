import { type Hex, numberToHex } from 'viem'
import { blockShownBy } from '../../domain/ports/node.ts'
import { storedAnswers, storedNumber } from '../blocks/answers.ts'
import type { BlockStore } from '../blocks/block-store.ts'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'

export type ReadOptions = {
  store: BlockStore
  /** The engine, once it is there. */
  available: () => Promise<Engine>
  /**
   * The first block whose state is there, the one that the engine began with, and the newest one that the log has.
   * `ahead` says that the engine may have one more.
   */
  range: () => { from: number; loaded: number; head: number; ahead: boolean }
  /** The engine's latest making of a block; it settles, and never rejects, when the engine is done with it. */
  mining: () => Promise<unknown>
  /** Does work while no block is half made, and nothing is put into the engine's pool anew. */
  standing: <T>(work: () => Promise<T>) => Promise<T>
}

/** `sender` is named by whoever asks for the sake of its transaction: what takes long waits in that one's queue. */
type Read = (method: string, params?: unknown, sender?: Hex) => Promise<unknown>

const readPatienceMs = 5_000

/** With more gas a run may make so many calls that its trace takes the engine longer than a fraction of a second. */
export const mostTracedGas = 1_000_000

/** Makes the function that reads a chain: what is sealed from the store, the rest from the engine. */
export function chainReader({ store, available, range, mining, standing }: ReadOptions): Read {
  const answered = storedAnswers(store, nextBaseFee)

  const settled = () => standing(async () => {})

  async function nextBaseFee(): Promise<Hex> {
    const newest = numberToHex(told())
    const { baseFeePerGas } = (await ask('eth_feeHistory', ['0x1', newest, []])) as { baseFeePerGas: Hex[] }
    return baseFeePerGas.at(-1) ?? '0x0'
  }

  /** As the engine reckons it, of the newest block that may be told. */
  async function gasPrice(): Promise<Hex> {
    const tip = (await ask('eth_maxPriorityFeePerGas', [])) as Hex
    return numberToHex(BigInt(await nextBaseFee()) + BigInt(tip))
  }

  async function ask(method: string, params: readonly unknown[], sender?: Hex): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      const current = await within(readPatienceMs, available())
      try {
        const block = besideAt(method, params)
        if (isCountOfSent(method, params)) return await standing(() => current.call(method, params))
        if (block === undefined) return await askStill(current, method, params)
        return await current.beside(block, method, params.toSpliced(1, 1, 'latest'), sender)
      } catch (error) {
        // A read that the engine took with it when it went is asked once more.
        if (attempt > 0 || current.alive() || !isEngineUnavailable(error)) throw error
      }
    }
  }

  /**
   * Asks the engine while it makes no block. As it makes one it tells the state of that one before it calls it its newest:
   * where it did meanwhile, it is asked once more of the block that was the newest, which is an older one by then.
   */
  async function askStill(engine: Engine, method: string, params: readonly unknown[]): Promise<unknown> {
    const isOfNewest = stateTag(method, params) !== undefined || stateAsked(method, params) === told()
    if (!isOfNewest) return await engine.call(method, params)
    const named = params.toSpliced(blockPosition[method] ?? 0, 1, numberToHex(told()))
    const last = mining()
    await last
    const answer = engine.call(method, params)
    await answer.catch(() => {})
    if (mining() === last) return await answer
    await mining()
    return await engine.call(method, named)
  }

  /** The block whose state a question is about, where it is a sealed one. */
  function stateAsked(method: string, params: readonly unknown[]): number | undefined {
    if (method === 'debug_traceTransaction') {
      const block = store.transaction(params[0] as Hex)?.block
      return block && block - 1
    }
    const position = blockPosition[method]
    const block = position === undefined ? undefined : storedNumber(store, params[position])
    return method.startsWith('debug_traceBlock') && block !== undefined ? block - 1 : block
  }

  /** The block at which something is to be run beside the engine, since that would be held up by it. */
  function besideAt(method: string, [call, id = 'latest']: readonly unknown[]): number | undefined {
    const { gas } = (call ?? {}) as { gas?: unknown }
    if (method !== 'debug_traceCall' || Number(gas ?? Number.POSITIVE_INFINITY) <= mostTracedGas) return undefined
    const isTag = typeof id === 'string' && !id.startsWith('0x')
    const block = storedNumber(store, id) ?? (isTag ? told() : undefined)
    return block !== undefined && block >= range().from ? Math.min(block, told()) : undefined
  }

  /** The newest block that may be told: it is in the log and in the store. */
  const told = () => Math.min(range().head, store.last())
  const isAhead = () => range().ahead || told() < range().head

  /**
   * The newest state is that of the newest block that may be told, and nothing of what comes after it is told either.
   * The block is named always: by the time that the engine hears the question it may have made one more.
   */
  function atHead(method: string, params: readonly unknown[]): readonly unknown[] {
    const tag = stateTag(method, params)
    if (tag === undefined || (tag === 'pending' && !isAhead())) return params
    return params.toSpliced(blockPosition[method] ?? 0, 1, numberToHex(told()))
  }

  /** Is a question about what comes after the newest block, which nobody can tell while that one must not be told. */
  function isAfter(method: string, params: readonly unknown[]): boolean {
    return isAhead() && stateTag(method, params) === 'pending'
  }

  /** Is a question about a block that the engine alone may have. */
  function isBeyond(method: string, params: readonly unknown[]): boolean {
    if (!isAhead()) return false
    if (method === 'debug_traceTransaction') return store.transaction(params[0] as Hex) === undefined
    const position = blockPosition[method] ?? sealedPosition[method]
    return position !== undefined && numberIn(params[position]) > told()
  }

  return async (method, params = [], sender) => {
    const list = Array.isArray(params) ? params : []
    if (isBeyond(method, list) || isAfter(method, list)) await settled()
    if (isBeyond(method, list)) return absent(method)
    if (method === 'eth_gasPrice') return await gasPrice()
    const stored = await answered(method, list)
    if (stored !== undefined) return stored
    // Of transactions that it did not make itself, the engine answers empty traces.
    if (method.startsWith('debug_trace') && (stateAsked(method, list) ?? range().loaded) < range().loaded)
      throw forgotten(range().from)
    const asked = () =>
      ask(method, atHead(method, list), sender).catch((error: unknown) => {
        const asked = isRevert(error) || isEngineUnavailable(error) ? undefined : stateAsked(method, list)
        throw asked !== undefined && asked < range().from ? forgotten(range().from) : error
      })
    // The pending block comes after the newest one.
    const shown = (answer: unknown) => Number(blockShownBy(answer) ?? -1n) <= told() + (list[0] === 'pending' ? 1 : 0)
    // What a simulation shows was made for it alone.
    const mayBeTold = (answer: unknown) => method === 'eth_simulateV1' || [answer].flat().every(shown)
    const answer = await asked()
    if (mayBeTold(answer)) return answer
    // The engine has a block a moment before it is on disk. Nobody is to hear of it before, nor if it never gets there.
    await settled()
    if (mayBeTold(answer)) return answer
    const again = await asked()
    if (mayBeTold(again)) return again
    return method === 'eth_getLogs' && Array.isArray(again) ? again.filter(shown) : untold(again)
  }
}

/** Where the methods that need a block's state name the block. */
const blockPosition: Readonly<Record<string, number>> = {
  debug_traceBlockByHash: 0,
  debug_traceBlockByNumber: 0,
  debug_traceCall: 1,
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
}

/** Asks how many transactions an account has sent, those that wait too: no secret, but only the whole pool tells. */
function isCountOfSent(method: string, params: readonly unknown[]): boolean {
  return method === 'eth_getTransactionCount' && params[1] === 'pending'
}

/**
 * The tag by which the newest state is asked for, or that after it. Of itself the engine estimates for the block after
 * the newest one.
 */
function stateTag(method: string, params: readonly unknown[]): 'latest' | 'pending' | undefined {
  const position = blockPosition[method]
  if (position === undefined || params.length < position) return undefined
  const tag = params[position] ?? (method === 'eth_estimateGas' ? 'pending' : 'latest')
  if (isCountOfSent(method, params)) return undefined
  return tag === 'latest' || tag === 'pending' ? tag : undefined
}

/** Where the methods that tell of a sealed block name it by number. */
const sealedPosition: Readonly<Record<string, number>> = {
  eth_feeHistory: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
}

/** The number by which a block is named, below zero where it is not. */
function numberIn(id: unknown): number {
  if (typeof id === 'string') return /^0x[0-9a-f]{1,63}$/i.test(id) ? Number(id) : -1
  return typeof id === 'object' && id !== null && 'blockNumber' in id ? numberIn(id.blockNumber) : -1
}

/** What is said of a block or transaction that is not there. */
function absent(method: string): null {
  if (sealedPosition[method] === 0) return null
  throw new RpcError(-32000, method === 'debug_traceTransaction' ? 'transaction not found' : 'header not found')
}

function forgotten(from: number): RpcError {
  return new RpcError(
    4444,
    `state not available: the state of this block is no longer kept; it is from block ${from} on`,
  )
}

function isRevert(error: unknown): boolean {
  return error instanceof RpcError && error.code === 3
}

/** What an answer is without a block that may not be told: a transaction waits for it, and nothing else is there. */
function untold(answer: unknown): unknown {
  const isTransaction =
    typeof answer === 'object' && answer !== null && 'hash' in answer && 'transactionIndex' in answer
  return isTransaction ? { ...answer, blockHash: null, blockNumber: null, transactionIndex: null } : null
}
