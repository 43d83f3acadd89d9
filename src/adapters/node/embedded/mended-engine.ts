import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { parentPricesIn } from '../../../opstack/l1-attributes.ts'
import { isDeposit, mendedDeposit, mendedReceipt, noParentFee, waitingTransaction } from '../mended-objects.ts'
import { affordableEstimate } from './affordable-estimate.ts'
import { assuming } from './assumptions.ts'
import { createLane } from './lane.ts'
import type { Ask, Mend } from './mend.ts'
import { tracing } from './mended-traces.ts'
import { simulation } from './simulation.ts'

/** How many may wait for the steps of a run. */
const mostStepTraces = 8

/**
 * Asks the engine, and puts right what it is known to answer wrongly. `rollup` is of a chain whose transactions pay
 * for their data on a parent chain.
 */
export function mendedEngine(ask: Ask, { rollup }: { rollup: boolean }): Ask {
  const trace = tracing(createLane(mostStepTraces))
  const isThere = blockFinder(ask)
  const transaction = answering(async (found: NodeObject) => (await transactions([found]))[0])
  const block = answering(async (found: NodeObject, [tag, full]) => {
    const shown =
      full === true ? { ...found, transactions: await transactions(found.transactions as NodeObject[]) } : found
    return tag === 'pending' ? unsealed(shown) : shown
  })
  /** The engine keeps no places in the block that waits, but lists its transactions. */
  const transactionAt: Mend = async (ask, [tag, index], method) => {
    if (tag !== 'pending') return await transaction(ask, [tag, index], method)
    const { transactions: waiting } = (await block(ask, [tag, true], 'eth_getBlockByNumber')) as Waiting
    return waiting[Number(index)] ?? null
  }
  const mends: Record<string, Mend> = {
    debug_traceBlockByNumber: sealed(trace.block),
    debug_traceCall: trace.call,
    debug_traceTransaction: trace.transaction,
    eth_call: assuming((ask, params, method) => ask(method, params)),
    eth_estimateGas: assuming(affordableEstimate),
    eth_feeHistory: feeHistory(isThere),
    eth_getBlockByHash: block,
    eth_getBlockByNumber: block,
    eth_getBlockReceipts: sealed(answering(receipts)),
    eth_getBlockTransactionCountByHash: count,
    eth_getBlockTransactionCountByNumber: count,
    eth_getLogs: logs(isThere),
    eth_getProof: proof,
    eth_getTransactionByBlockHashAndIndex: transaction,
    eth_getTransactionByBlockNumberAndIndex: transactionAt,
    eth_getTransactionByHash: transaction,
    eth_getTransactionReceipt: answering(async (found: NodeObject) => (await receipts([found]))[0]),
    eth_getUncleCountByBlockHash: uncles,
    eth_getUncleCountByBlockNumber: uncles,
    eth_simulateV1: simulation,
  }

  /** Of one block, whose first transaction tells what the parent chain charges. */
  async function receipts(found: NodeObject[]): Promise<NodeObject[]> {
    if (!rollup || found.every(isDeposit)) return found.map((each) => mendedReceipt(each))
    const first = await ask('eth_getTransactionByBlockHashAndIndex', [found[0]?.blockHash, '0x0'])
    const parentFee = { ...noParentFee, ...parentPricesIn(first as Parameters<typeof parentPricesIn>[0]) }
    return found.map((each) => mendedReceipt(each, parentFee))
  }

  /** What a deposit was is in its receipt. */
  async function transactions(found: NodeObject[]): Promise<NodeObject[]> {
    const deposit = found.find(isDeposit)
    if (deposit === undefined) return found
    const { blockHash } = deposit
    // The rollup's own deposit is known while it waits for its block.
    const receipts = typeof blockHash === 'string' ? await ask('eth_getBlockReceipts', [{ blockHash }]) : null
    const ofBlock = (receipts ?? []) as NodeObject[]
    const byHash = new Map(ofBlock.map((each) => [each.transactionHash, mendedReceipt(each)]))
    return found.map((each) => (isDeposit(each) ? mendedDeposit(each, byHash.get(each.hash)) : each))
  }

  return async (method, params) => {
    const mend = mends[method]
    return mend === undefined ? await ask(method, params) : await mend(ask, params, method)
  }
}

/** Mends the answer alone; that there is none stays so. */
function answering<T>(mend: (answer: T, params: readonly unknown[]) => unknown): Mend {
  return async (ask, params, method) => {
    const answer = await ask(method, params)
    return answer === null ? null : await mend(answer as T, params)
  }
}

type Waiting = { transactions: NodeObject[] }

/** What is not sealed has no hash, nonce or author yet, and neither have its transactions a place. */
function unsealed({ transactions, ...block }: NodeObject): NodeObject {
  const waiting = (transactions as (string | NodeObject)[]).map((each) =>
    typeof each === 'string' ? each : waitingTransaction(each),
  )
  return { ...block, hash: null, nonce: null, miner: null, transactions: waiting }
}

/** Of what comes to pass with the sealing alone, the engine would say that there is no such block. */
function sealed(mend: Mend): Mend {
  return async (ask, params, method) => {
    if (params[0] === 'pending')
      throw new DomainError('UNIMPLEMENTED', 'The pending block has no receipts and no traces yet; ask for latest.')
    return await mend(ask, params, method)
  }
}

/** The engine refuses to count a block that is not there yet; nodes answer null. */
const count: Mend = async (ask, params, method) => {
  try {
    return await ask(method, params)
  } catch (failure) {
    if (failure instanceof DomainError && failure.code === 'NOT_FOUND') return null
    throw failure
  }
}

/** No block has uncles; the question is only whether there is such a block. */
const uncles: Mend = async (ask, [block], method) => {
  const asked = method.endsWith('Hash') ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  return (await ask(asked, [block, false])) === null ? null : '0x0'
}

/** The engine takes percentiles in any order, and answers blocks that are not there yet. */
function feeHistory(isThere: BlockFinder): Mend {
  return async (ask, [blockCount, newest, percentiles], method) => {
    const asked = (percentiles ?? []) as number[]
    if (asked.some((percentile, index) => percentile < (asked[index - 1] ?? 0)))
      throw invalid('rewardPercentiles', 'must rise')
    if (isNumber(newest) && !(await isThere(newest)))
      throw new DomainError('NOT_FOUND', 'header not found: the newest block asked for is not there yet.')
    if (blockCount === '0x0') return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] }
    const { reward, ...history } = (await ask(method, [blockCount, newest, asked])) as Record<string, unknown>
    return asked.length === 0 ? history : { ...history, reward }
  }
}

/** The engine answers what there is of a range that reaches beyond its newest block, as if it were all. */
function logs(isThere: BlockFinder): Mend {
  return async (ask, [filter], method) => {
    const { fromBlock, toBlock } = filter as { fromBlock?: unknown; toBlock?: unknown }
    for (const number of [fromBlock, toBlock].filter(isNumber))
      if (!(await isThere(number)))
        throw invalid('filter.toBlock', 'the block range extends beyond the current head block')
    return await ask(method, [filter])
  }
}

/** The engine takes no slot but of 32 bytes. */
const proof: Mend = async (ask, [address, slots, block], method) => {
  const whole = (slots as string[]).map((slot) => `0x${slot.slice(2).padStart(64, '0')}`)
  return await ask(method, [address, whole, block])
}

type BlockFinder = (number: string) => Promise<boolean>

/** Makes the function that tells if there is a block of a number. The newest one alone may not outlive a crash. */
function blockFinder(ask: Ask): BlockFinder {
  let newest = -1n
  return async (number) => {
    if (BigInt(number) >= newest) newest = BigInt(String(await ask('eth_blockNumber', [])))
    return BigInt(number) <= newest
  }
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('0x')
}
