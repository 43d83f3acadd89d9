import type { Hex } from 'viem'
import { feeHistory, type NextBaseFee } from './answer-fees.ts'
import { logs } from './answer-logs.ts'
import type { BlockStore } from './block-store.ts'
import type { StoredTransaction, WireObject } from './whole-block.ts'

/** Answers a method from the store; undefined where it is not for the store to say. */
export type Answer = (method: string, params: readonly unknown[]) => Promise<unknown>

type Answers = Record<string, (params: readonly unknown[]) => unknown>

/**
 * Makes the function that answers what is asked of sealed blocks as the engine would. A block counts once it is in the
 * store: what is not there, and what it does not understand, is left to the engine.
 */
export function storedAnswers(store: BlockStore, nextBaseFee: NextBaseFee): Answer {
  const numbered = (id: unknown) => storedNumber(store, id)

  /** Answers about one block, named by the first parameter. */
  const ofBlock =
    (answer: (number: number, params: readonly unknown[]) => unknown) =>
    (params: readonly unknown[]): unknown => {
      const number = numbered(params[0])
      return number === undefined ? undefined : answer(number, params)
    }

  const block = ofBlock((number, [, full]) => {
    const header = store.header(number)
    if (header === undefined || (full !== undefined && typeof full !== 'boolean')) return undefined
    const transactions = full ? store.transactions(number).map(({ transaction }) => transaction) : store.hashes(number)
    return { ...header, transactions }
  })
  const count = ofBlock((number) => `0x${store.hashes(number).length.toString(16)}`)
  const byIndex = ofBlock((number, [, index]) =>
    isQuantity(index) ? (store.transactionAt(number, Number(index))?.transaction ?? null) : undefined,
  )
  const byHash =
    (part: (stored: StoredTransaction) => WireObject) =>
    ([hash]: readonly unknown[]) => {
      const stored = isHash(hash) ? store.transaction(hash) : undefined
      return stored && part(stored)
    }

  const answers: Answers = {
    eth_blockNumber: () => (store.last() < 0 ? undefined : `0x${store.last().toString(16)}`),
    eth_feeHistory: (params) => feeHistory(store, nextBaseFee, numbered(params[1]), params),
    eth_getBlockByHash: block,
    eth_getBlockByNumber: block,
    eth_getBlockReceipts: ofBlock((number) => store.transactions(number).map(({ receipt }) => receipt)),
    eth_getBlockTransactionCountByHash: count,
    eth_getBlockTransactionCountByNumber: count,
    eth_getLogs: ([filter]) => logs(store, filter, numbered),
    eth_getTransactionByBlockHashAndIndex: byIndex,
    eth_getTransactionByBlockNumberAndIndex: byIndex,
    eth_getTransactionByHash: byHash(({ transaction }) => transaction),
    eth_getTransactionReceipt: byHash(({ receipt }) => receipt),
  }
  return async (method, params) => await answers[method]?.(params)
}

/** The number of the block that a parameter names, where it is in the store. */
export function storedNumber(store: BlockStore, id: unknown): number | undefined {
  if (id === 'latest') return store.last()
  if (id === 'earliest') return 0
  if (isQuantity(id)) return Number(id) <= store.last() ? Number(id) : undefined
  if (isHash(id)) return store.numberOf(id)
  if (typeof id !== 'object' || id === null) return undefined
  const { blockHash, blockNumber } = id as { blockHash?: unknown; blockNumber?: unknown }
  return storedNumber(store, blockHash ?? blockNumber)
}

function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{1,12}$/i.test(value)
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}
