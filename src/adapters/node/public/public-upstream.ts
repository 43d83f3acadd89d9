import { setTimeout as sleep } from 'node:timers/promises'
import { rpcBindings } from '../../../contract/chain/chain.ts'
import type { Hex } from '../../../domain/ports/chains.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { isHash } from '../../../kit/hex.ts'
import { createListeners } from '../../async/listeners.ts'
import type { ReportCall } from '../call-tally.ts'
import { newestOf } from '../finality.ts'
import type { Request, Upstream } from '../upstream.ts'
import { wireQuantity, withSizes } from '../wire-objects.ts'
import { type HintSocket, hintSocket } from './hint-socket.ts'
import { nodePool } from './node-pool.ts'

/** Addresses of nodes by HTTP, the preferred one first, and of one that reports new blocks by WebSocket. */
type PublicNodes = {
  rpcUrls: readonly string[]
  wsUrl: string | null
  /** Id of the chain, for the names of the nodes. */
  chainId?: number
  /** How long a node may take to respond before another one is called; 10 s unless given. */
  timeoutMs?: number
  /** Receives each call of each node. */
  report?: ReportCall
}

const checkMs = 5_000
/** How long the nodes may take for the first look at them. */
const firstLookMs = 200
/** How old the number of the final block may be: it moves once in minutes, and others read it too. */
const finalityMs = 15_000

/** Public nodes as an upstream. Later ones stand in for earlier ones; those that fail are tried again after a while. */
export async function publicUpstream(nodes: PublicNodes): Promise<Upstream & AsyncDisposable> {
  const { rpcUrls, wsUrl, ...options } = nodes
  const pool = nodePool(rpcUrls, { ...options, oneChain: 'CHAIN_RPC_URL' })
  const hints = createListeners<bigint | undefined>()
  const pending = createListeners<Hex>()
  const closing = new AbortController()
  const read = (method: string, params: readonly unknown[]) =>
    pool.request(method, params, closing.signal, { unanimous: true })
  let finalized = -1n
  let finalityAt = -Infinity

  /** Notes the number of the final block, whoever read it. */
  const noting: Request = async (method, params, ...call) => {
    const result = await pool.request(method, params, ...call)
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'finalized') return result
    finalityAt = performance.now()
    const number = BigInt(String((result as NodeObject | null)?.number ?? -1))
    if (number > finalized) finalized = number
    return result
  }

  async function look(): Promise<void> {
    if (rpcUrls.length > 1) await pool.check()
    if (performance.now() - finalityAt < finalityMs) return
    finalityAt = performance.now()
    const newest = await newestOf(read, 'finalized').catch(() => -1n)
    if (newest > finalized) finalized = newest
  }

  // A node that hangs must not delay the start.
  await Promise.race([look(), sleep(firstLookMs, undefined, { ref: false })])
  const timer = setInterval(() => void look(), checkMs)
  const socket: HintSocket | null =
    wsUrl === null ? null : hintSocket(wsUrl, { head: hints.call, pending: pending.call })
  return {
    request: async (method, params, ...call) =>
      corrected(method, await noting(method, wireParams(method, params), ...call)),
    direct: noting,
    ...(rpcUrls.length > 1 ? { isGone: pool.isGone, isReplaced: pool.isReplaced } : {}),
    pushesHeads: () => socket?.alive() ?? false,
    onHint: hints.add,
    onPending: pending.add,
    finalized: () => finalized,
    states: pool.states,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closing.abort()
      socket?.close()
    },
  }
}

/** Sends a block hash as EIP-1898 requires, as not every node accepts a bare one, and percentiles, which some require. */
function wireParams(method: string, params: readonly unknown[]): readonly unknown[] {
  if (method === 'eth_feeHistory') return [params[0], params[1], params[2] ?? []]
  const position = rpcBindings.get(method)?.block
  if (position === undefined || !isHash(params[position])) return params
  return params.with(position, { blockHash: params[position] })
}

/** Corrects results that some nodes write differently from all others. */
function corrected(method: string, result: unknown): unknown {
  const correction = corrections[method]
  return correction === undefined || typeof result !== 'object' || result === null ? result : correction(result)
}

const corrections: Readonly<Record<string, (result: object) => unknown>> = {
  eth_feeHistory: withLists,
  eth_getTransactionReceipt: (result) => withQuantities(result as NodeObject),
  eth_getBlockReceipts: (result) => (result as NodeObject[]).map(withQuantities),
  eth_getTransactionByHash: withoutNullTime,
  eth_simulateV1: (result) => withSizes(result as NodeObject[]),
  txpool_content: (result) => ofEach(result, (part) => ofEach(part, (own) => ofEach(own, withoutNullTime))),
  txpool_contentFrom: (result) => ofEach(result, (own) => ofEach(own, withoutNullTime)),
}

/** Of no blocks some nodes write no lists of fees, or null. */
function withLists(history: object): object {
  const { gasUsedRatio, ...rest } = history as NodeObject
  return { baseFeePerGas: [], ...rest, gasUsedRatio: gasUsedRatio ?? [] }
}

/** Some nodes write the time of the block of a waiting transaction as null; others leave it out. */
function withoutNullTime(transaction: object): object {
  const { blockTimestamp, ...rest } = transaction as NodeObject
  return blockTimestamp === null ? rest : transaction
}

function ofEach(parts: object, change: (part: object) => unknown): NodeObject {
  const changed = (part: unknown) => (typeof part === 'object' && part !== null ? change(part) : part)
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, changed(part)]))
}

/** Some nodes write the time of a receipt's block as a number. */
function withQuantities(receipt: NodeObject): NodeObject {
  return typeof receipt.blockTimestamp === 'number'
    ? { ...receipt, blockTimestamp: wireQuantity(receipt.blockTimestamp) }
    : receipt
}
