import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { z } from 'zod'
import { isHash, isQuantity, quantityOf } from '../../kit/hex.ts'
import type { BlockStore } from './block-store.ts'
import type { Log, StoredTransaction, WireObject } from './whole-block.ts'

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
    return full ? { ...header, transactions: store.transactions(number).map(({ transaction }) => transaction) } : header
  })
  const count = ofBlock((number) => quantityOf(store.header(number)?.transactions.length ?? 0))
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

/** Reads the base fee of the block after the newest one. */
type NextBaseFee = () => Promise<Hex>

/** The most blocks of a fee history. */
const maxHistory = 1_024
/** The event loop gets a turn after so many blocks. */
const blocksPerTurn = 25

/**
 * The result of `eth_feeHistory` up to a block, oldest first; undefined for parameters that it does not understand. The
 * engine knows only the fees of the blocks that it mined itself.
 */
async function feeHistory(
  store: BlockStore,
  nextBaseFee: NextBaseFee,
  newest: number | undefined,
  [blockCount, , percentiles]: readonly unknown[],
): Promise<unknown> {
  const count = Math.min(Number(blockCount), maxHistory)
  const wanted = percentiles ?? []
  if (newest === undefined || !(count >= 1) || !Array.isArray(wanted)) return undefined
  if (!wanted.every((each) => typeof each === 'number' && each >= 0 && each <= 100)) return undefined
  const oldest = Math.max(0, newest - count + 1)
  const history = { baseFeePerGas: [] as Hex[], gasUsedRatio: [] as number[], reward: [] as Hex[][] }
  for (let number = oldest; number <= newest; number += 1) {
    if ((number - oldest) % blocksPerTurn === blocksPerTurn - 1) await nextTurn()
    const { baseFeePerGas, gasUsed, gasLimit } = store.header(number) as Record<string, Hex>
    history.baseFeePerGas.push(baseFeePerGas as Hex)
    history.gasUsedRatio.push(Number(gasUsed) / Number(gasLimit))
    if (wanted.length > 0) history.reward.push(rewards(store, number, hexToBigInt(baseFeePerGas as Hex), wanted))
  }
  const after = store.header(newest + 1)?.baseFeePerGas as Hex | undefined
  history.baseFeePerGas.push(after ?? (await nextBaseFee()))
  const { reward, ...fees } = history
  return {
    ...fees,
    baseFeePerBlobGas: fees.baseFeePerGas.map(() => '0x1'),
    blobGasUsedRatio: fees.gasUsedRatio.map(() => 0),
    oldestBlock: numberToHex(oldest),
    reward,
  }
}

/** For each percentile: the tip of the transaction at that share of the block's gas, in order of rising tips. */
function rewards(store: BlockStore, number: number, baseFee: bigint, percentiles: readonly number[]): Hex[] {
  const paid = store.transactions(number).map(({ receipt }) => ({
    gas: Number(receipt.gasUsed),
    tip: positive(hexToBigInt(receipt.effectiveGasPrice as Hex) - baseFee),
  }))
  paid.sort((a, b) => Number(a.tip - b.tip))
  const total = paid.reduce((sum, { gas }) => sum + gas, 0)
  return percentiles.map((percentile) => {
    let used = 0
    const found = paid.find(({ gas }) => {
      used += gas
      return used >= Math.floor((total * percentile) / 100)
    })
    return numberToHex(found?.tip ?? 0n)
  })
}

/** A deposit does not even pay the base fee, so its tip would be negative. */
function positive(tip: bigint): bigint {
  return tip > 0n ? tip : 0n
}

type Filter = { addresses: readonly Hex[] | null; topics: readonly (readonly Hex[] | null)[] }

/** One more than the gateway's limit, so that it notices when there are too many. */
const maxLogs = 10_001

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]).transform((text) => text.toLowerCase() as Hex)
const oneOrMore = z.union([hex.transform((one) => [one]), z.array(hex).max(1_000)])
const filterSchema = z.object({
  blockHash: hex.optional(),
  fromBlock: z.string().optional(),
  toBlock: z.string().optional(),
  address: oneOrMore.nullish(),
  topics: z.array(oneOrMore.nullable()).max(4).nullish(),
})

/**
 * The logs that match a filter, in order. Undefined for a filter that it does not understand, or where a block is not in
 * the store. `numberOf` gives the number of the stored block that a parameter names.
 */
async function filterLogs(
  store: BlockStore,
  filter: unknown,
  numberOf: (id: unknown) => number | undefined,
): Promise<unknown> {
  const parsed = filterSchema.safeParse(filter)
  if (!parsed.success) return undefined
  const { blockHash, fromBlock, toBlock, address, topics } = parsed.data
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) return undefined
  const from = numberOf(blockHash ?? fromBlock ?? 'latest')
  // A block that is not mined yet has no logs.
  const to = numberOf(blockHash ?? toBlock ?? 'latest') ?? (isNumber(toBlock) ? store.last() : undefined)
  if (from === undefined || to === undefined || from > to) return undefined
  const wanted: Filter = {
    addresses: address && address.length > 0 ? address : null,
    topics: (topics ?? []).map((any) => (any && any.length > 0 ? any : null)),
  }
  return await matching(store, wanted, from, to)
}

async function matching(store: BlockStore, filter: Filter, from: number, to: number): Promise<Log[]> {
  const range = { from, to, addresses: filter.addresses, topics: filter.topics[0] ?? null }
  const found: Log[] = []
  for (const [at, number] of store.blocksWithLogs(range).entries()) {
    if (at % blocksPerTurn === blocksPerTurn - 1) await nextTurn()
    for (const log of store.logs(number)) if (matches(log, filter)) found.push(log)
    if (found.length >= maxLogs) break
  }
  return found
}

function matches({ address, topics }: Log, filter: Filter): boolean {
  if (filter.addresses && !filter.addresses.includes(address)) return false
  return filter.topics.every((any, position) => {
    const topic = topics[position]
    return topic !== undefined && (any === null || any.includes(topic))
  })
}

function isNumber(id: string | undefined): boolean {
  return id?.startsWith('0x') === true && id.length < 66
}
