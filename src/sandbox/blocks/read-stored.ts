import { isHash, isQuantity, quantityOf } from '../../kit/hex.ts'
import type { BlockStore } from './block-store.ts'
import { feeHistory, type NextBaseFee } from './fee-history.ts'
import { filterLogs } from './filter-logs.ts'
import type { StoredTransaction, WireObject } from './whole-block.ts'

/** Serves a call from the store; undefined where the engine must serve it. */
export type ReadStored = (method: string, params: readonly unknown[]) => Promise<unknown>

type Methods = Record<string, (params: readonly unknown[]) => unknown>

/**
 * Creates the function that serves reads of mined blocks as the engine would. Undefined is returned for blocks that are
 * not in the store, and for parameters that it does not understand: the engine knows the right error.
 */
export function storedReader(store: BlockStore, nextBaseFee: NextBaseFee): ReadStored {
  const numberOf = (id: unknown) => storedNumber(store, id)

  /** A method about the block that the first parameter names. */
  const ofBlock =
    (read: (number: number, params: readonly unknown[]) => unknown) =>
    (params: readonly unknown[]): unknown => {
      const number = numberOf(params[0])
      return number === undefined ? undefined : read(number, params)
    }

  const block = ofBlock((number, [, full]) => {
    const header = store.header(number)
    if (header === undefined || (full !== undefined && typeof full !== 'boolean')) return undefined
    const transactions = full ? store.transactions(number).map(({ transaction }) => transaction) : store.hashes(number)
    return { ...header, transactions }
  })
  const count = ofBlock((number) => quantityOf(store.hashes(number).length))
  const byIndex = ofBlock((number, [, index]) =>
    isQuantity(index) ? (store.transactionAt(number, Number(index))?.transaction ?? null) : undefined,
  )
  const byHash =
    (part: (stored: StoredTransaction) => WireObject) =>
    ([hash]: readonly unknown[]) => {
      const stored = isHash(hash) ? store.transaction(hash) : undefined
      return stored && part(stored)
    }

  const methods: Methods = {
    eth_blockNumber: () => (store.last() < 0 ? undefined : quantityOf(store.last())),
    eth_feeHistory: (params) => feeHistory(store, nextBaseFee, numberOf(params[1]), params),
    eth_getBlockByHash: block,
    eth_getBlockByNumber: block,
    eth_getBlockReceipts: ofBlock((number) => store.transactions(number).map(({ receipt }) => receipt)),
    eth_getBlockTransactionCountByHash: count,
    eth_getBlockTransactionCountByNumber: count,
    eth_getLogs: ([filter]) => filterLogs(store, filter, numberOf),
    eth_getTransactionByBlockHashAndIndex: byIndex,
    eth_getTransactionByBlockNumberAndIndex: byIndex,
    eth_getTransactionByHash: byHash(({ transaction }) => transaction),
    eth_getTransactionReceipt: byHash(({ receipt }) => receipt),
  }
  return async (method, params) => await methods[method]?.(params)
}

/** The number of the block that a parameter names: a tag, number, hash or EIP-1898 object. Undefined if not in the store. */
export function storedNumber(store: BlockStore, id: unknown): number | undefined {
  if (id === 'latest') return store.last()
  if (id === 'earliest') return 0
  if (isQuantity(id)) return Number(id) <= store.last() ? Number(id) : undefined
  if (isHash(id)) return store.numberOf(id)
  if (typeof id !== 'object' || id === null) return undefined
  const { blockHash, blockNumber } = id as { blockHash?: unknown; blockNumber?: unknown }
  return storedNumber(store, blockHash ?? blockNumber)
}
