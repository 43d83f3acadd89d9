import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { parentPricesIn } from '../../../opstack/l1-attributes.ts'
import { createQueues } from '../../async/queue.ts'
import { accessList } from './access-list.ts'
import { depositOf, isDeposit, noParentFee, pendingBlockOf, receiptOf } from './anvil-objects.ts'
import { withCheckedOverrides } from './overrides.ts'
import { simulation } from './simulation.ts'
import { traceWorkarounds } from './traces.ts'
import type { Call, Workaround } from './workaround.ts'

/**
 * Calls of anvil, with a workaround for each method that it gets wrong. `rollup` is true for a chain whose transactions
 * pay for their data on a parent chain.
 */
export function withWorkarounds(
  call: Call,
  { rollup }: { rollup: boolean },
): (method: string, params: readonly unknown[], by?: Call) => Promise<unknown> {
  const traces = traceWorkarounds(
    createQueues({
      atOnce: 1,
      waiting: 8,
      full: 'Too many traces are requested at once; try again in a few seconds.',
      code: 'UNAVAILABLE',
    }),
  )
  const exists = blockFinder(call)
  const objects = objectWorkarounds(call, rollup)
  const checked = withCheckedOverrides((call, params, method) => call(method, params))
  const workarounds: Record<string, Workaround> = {
    debug_traceBlockByHash: traces.block,
    debug_traceBlockByNumber: minedOnly(traces.block),
    debug_traceCall: traces.call,
    debug_traceTransaction: traces.transaction,
    eth_call: checked,
    eth_createAccessList: accessList,
    eth_estimateGas: checked,
    eth_feeHistory: feeHistory(exists),
    eth_getBlockByHash: objects.block,
    eth_getBlockByNumber: objects.block,
    eth_getBlockReceipts: minedOnly(objects.receipts),
    eth_getBlockTransactionCountByHash: count,
    eth_getBlockTransactionCountByNumber: count,
    eth_getLogs: logs(exists),
    eth_getProof: proof,
    eth_getTransactionByBlockHashAndIndex: objects.transaction,
    eth_getTransactionByBlockNumberAndIndex: objects.transactionAt,
    eth_getTransactionByHash: objects.transaction,
    eth_getTransactionReceipt: objects.receipt,
    eth_getUncleCountByBlockHash: uncles,
    eth_getUncleCountByBlockNumber: uncles,
    eth_simulateV1: simulation,
    net_peerCount: async () => '0x0',
  }
  return async (method, params, by = call) => {
    const workaround = workarounds[method]
    return workaround === undefined ? await by(method, params) : await workaround(by, params, method)
  }
}

/** Anvil's blocks, transactions and receipts differ in form from those of other nodes. */
function objectWorkarounds(call: Call, rollup: boolean) {
  /** The receipts of one block; its first transaction has the parent chain's prices. */
  async function receipts(found: NodeObject[]): Promise<NodeObject[]> {
    if (!rollup || found.every(isDeposit)) return found.map((each) => receiptOf(each))
    const first = await call('eth_getTransactionByBlockHashAndIndex', [found[0]?.blockHash, '0x0'])
    const parentFee = { ...noParentFee, ...parentPricesIn(first as Parameters<typeof parentPricesIn>[0]) }
    return found.map((each) => receiptOf(each, parentFee))
  }

  /** Some fields of a deposit exist only in its receipt. */
  async function transactions(found: NodeObject[]): Promise<NodeObject[]> {
    const deposit = found.find(isDeposit)
    if (deposit === undefined) return found
    const { blockHash } = deposit
    // The L1-attributes deposit is known before its block is mined.
    const receipts = typeof blockHash === 'string' ? await call('eth_getBlockReceipts', [blockHash]) : null
    const ofBlock = (receipts ?? []) as NodeObject[]
    const byHash = new Map(ofBlock.map((each) => [each.transactionHash, receiptOf(each)]))
    return found.map((each) => (isDeposit(each) ? depositOf(each, byHash.get(each.hash)) : each))
  }

  const transaction = reshaped(async (found: NodeObject) => (await transactions([found]))[0])

  const block = reshaped(async (found: NodeObject, [tag, full]) => {
    const shown =
      full === true ? { ...found, transactions: await transactions(found.transactions as NodeObject[]) } : found
    return tag === 'pending' ? pendingBlockOf(shown) : shown
  })

  /** Anvil has no index of the pending block, but lists its transactions. */
  const transactionAt: Workaround = async (call, [tag, index], method) => {
    if (tag !== 'pending') return await transaction(call, [tag, index], method)
    const pending = (await block(call, [tag, true], 'eth_getBlockByNumber')) as { transactions: NodeObject[] }
    return pending.transactions[Number(index)] ?? null
  }

  return {
    block,
    transaction,
    transactionAt,
    receipt: reshaped(async (found: NodeObject) => (await receipts([found]))[0]),
    receipts: reshaped(receipts),
  }
}

/** Transforms the result; null stays null. */
function reshaped<T>(change: (result: T, params: readonly unknown[]) => unknown): Workaround {
  return async (call, params, method) => {
    const result = await call(method, params)
    return result === null ? null : await change(result as T, params)
  }
}

/** For data that exists only in mined blocks: anvil would report that there is no pending block. */
function minedOnly(serve: Workaround): Workaround {
  return async (call, params, method) => {
    if (params[0] === 'pending')
      throw new DomainError('UNIMPLEMENTED', 'The pending block has no receipts and no traces yet; request latest.')
    return await serve(call, params, method)
  }
}

/** Anvil fails to count the transactions of a block that does not exist yet; nodes return null. */
const count: Workaround = async (call, params, method) => {
  try {
    return await call(method, params)
  } catch (failure) {
    if (failure instanceof DomainError && failure.code === 'NOT_FOUND') return null
    throw failure
  }
}

/** No block has uncles; only the existence of the block matters. */
const uncles: Workaround = async (call, [block], method) => {
  const reading = method.endsWith('Hash') ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  return (await call(reading, [block, false])) === null ? null : '0x0'
}

/** Anvil returns blocks that do not exist yet. */
function feeHistory(exists: BlockFinder): Workaround {
  return async (call, [blockCount, newest, percentiles], method) => {
    const requested = (percentiles ?? []) as number[]
    if (isNumber(newest) && !(await exists(newest)))
      throw new DomainError('NOT_FOUND', 'header not found: the newest requested block does not exist yet.')
    if (blockCount === '0x0') return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] }
    const { reward, ...history } = (await call(method, [blockCount, newest, requested])) as Record<string, unknown>
    return requested.length === 0 ? history : { ...history, reward }
  }
}

/** Anvil returns a part of a range that reaches beyond its newest block as if it were the whole. */
function logs(exists: BlockFinder): Workaround {
  return async (call, [filter], method) => {
    const { fromBlock, toBlock } = filter as { fromBlock?: unknown; toBlock?: unknown }
    for (const number of [fromBlock, toBlock].filter(isNumber))
      if (!(await exists(number)))
        throw invalid('filter.toBlock', 'the block range extends beyond the current head block')
    return await call(method, [filter])
  }
}

/** Anvil accepts only slots of 32 bytes. */
const proof: Workaround = async (call, [address, slots, block], method) => {
  const whole = (slots as string[]).map((slot) => `0x${slot.slice(2).padStart(64, '0')}`)
  return await call(method, [address, whole, block])
}

type BlockFinder = (number: string) => Promise<boolean>

/**
 * Returns a function that checks whether a block exists. The newest one is read each time, because a crash may lose it.
 */
function blockFinder(call: Call): BlockFinder {
  let newest = -1n
  return async (number) => {
    if (BigInt(number) >= newest) newest = BigInt(String(await call('eth_blockNumber', [])))
    return BigInt(number) <= newest
  }
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('0x')
}
