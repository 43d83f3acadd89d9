import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { quantityOf } from '../../kit/hex.ts'
import { DomainError, type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { ChainNode, NodeObject } from '../ports/node.ts'
import { checkRange, gasOfBlockLogs, type LogFilter, logStreamLimits, overLimit } from './log-range.ts'
import { bytesOfLogs, inWholeBlocks, type Logs } from './whole-blocks.ts'

type Event = OutputOf<typeof contract.chain.streamLogs>

/** What reading logs uses of its call. */
type LogCall = {
  signal: AbortSignal
  spent: (gas: number) => void
  fail: Fail<'LIMIT_EXCEEDED' | 'UNAVAILABLE'>
}

/** A range of blocks, and the hash of its last one. */
type Range = { first: bigint; last: bigint; lastHash: string }

/** The logs of a range of any number of logs, in messages of whole blocks. */
export const streamLogs: Handler<typeof contract.chain.streamLogs, 'node'> = async ({ node }, { filter }, call) => {
  const parts = filter.blockHash === undefined ? await rangeParts(node, filter, call) : blockParts(node, filter, call)
  // What the node refuses at once is a refusal of the request.
  const first = await parts.next()
  return messages(first, parts)
}

async function* messages(first: IteratorResult<Logs>, parts: AsyncGenerator<Logs, void>): AsyncGenerator<Event> {
  for (let part = first; part.done !== true; part = await parts.next())
    for (const logs of inWholeBlocks(part.value, logStreamLimits.messageBytes)) yield { logs }
}

/** The logs of the one block that a filter names. */
async function* blockParts(node: ChainNode, filter: LogFilter, call: LogCall): AsyncGenerator<Logs, void> {
  call.spent(Number(checkRange(filter, 0n, 'filter', call.fail) * gasOfBlockLogs))
  yield await read(node, filter, call.signal)
}

async function rangeParts(node: ChainNode, filter: LogFilter, call: LogCall): Promise<AsyncGenerator<Logs, void>> {
  const range = await rangeOf(node, filter, call)
  // Known before the first block is read: the count of the request has it as soon as the stream is open.
  call.spent(Number((range.last - range.first + 1n) * gasOfBlockLogs))
  return readParts(node, filter, range, call)
}

/** The blocks that a filter names. Its last one must exist, for a stream ends there. */
async function rangeOf(node: ChainNode, { fromBlock, toBlock }: LogFilter, call: LogCall): Promise<Range> {
  const end = await blockAt(node, toBlock ?? 'latest', call.signal)
  if (end === null) throw invalid('filter.toBlock', 'is after the newest block')
  const last = BigInt(end.number)
  // Asked for once more, the newest block may be another one.
  const isLast = newest.has(fromBlock ?? 'latest') && newest.has(toBlock ?? 'latest')
  const first = isLast ? last : await numberOf(node, fromBlock ?? 'latest', call.signal)
  if (first > last) throw invalid('filter.fromBlock', 'is after toBlock')
  const { blocks } = logStreamLimits
  if (last - first < blocks) return { first, last, lastHash: end.hash }
  const message = `is a range of more than ${blocks} blocks; read it in parts`
  throw overLimit(call.fail, 'filter.fromBlock', Number(blocks), message)
}

const newest: ReadonlySet<string> = new Set(['latest', 'pending'])

async function numberOf(node: ChainNode, tag: string, signal: AbortSignal): Promise<bigint> {
  if (tag.startsWith('0x')) return BigInt(tag)
  if (tag === 'earliest') return 0n
  const block = await blockAt(node, tag, signal)
  if (block === null) throw invalid('filter.fromBlock', 'names no block yet')
  return BigInt(block.number)
}

/** A mined block; `pending` is the newest one. */
async function blockAt(node: ChainNode, tag: string, signal: AbortSignal) {
  const mined = tag === 'pending' ? 'latest' : tag
  const found = await node.request('eth_getBlockByNumber', [mined, false], signal)
  return found as { number: string; hash: string } | null
}

/** How many blocks are read at first: a whole block can have megabytes of logs. */
const firstBlocks = 16n

/** Reads a range a few blocks at a time, more where they have few logs, so that the memory does not grow with the range. */
async function* readParts(node: ChainNode, filter: LogFilter, range: Range, call: LogCall): AsyncGenerator<Logs, void> {
  const { blocksAtOnce, messageBytes } = logStreamLimits
  let blocks = firstBlocks
  for (let from = range.first; from <= range.last; ) {
    const to = smaller(from + blocks - 1n, range.last)
    const bounds = { fromBlock: quantityOf(from), toBlock: quantityOf(to) }
    const logs = await readOrLess(node, { ...filter, ...bounds }, to > from, call.signal)
    if (logs === null) {
      blocks = (to - from + 1n) / 2n
      continue
    }
    if (to === range.last) await demandSameChain(node, range, call)
    yield logs
    from = to + 1n
    const bytes = bytesOfLogs(logs)
    // As many blocks as have about one message of logs, where they go on as these.
    const like = (blocks * BigInt(messageBytes)) / BigInt(Math.max(bytes, 1))
    blocks = smaller(like === 0n ? 1n : like, smaller(blocks * 2n, blocksAtOnce))
  }
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** The logs of a range; null where the node refuses so many and there is less to ask for. */
async function readOrLess(node: ChainNode, filter: LogFilter, canAskLess: boolean, signal: AbortSignal) {
  return await read(node, filter, signal).catch((failure: unknown) => {
    if (canAskLess && failure instanceof DomainError && failure.code === 'LIMIT_EXCEEDED') return null
    throw failure
  })
}

async function read(node: ChainNode, filter: LogFilter, signal: AbortSignal): Promise<Logs> {
  const logs = (await node.request('eth_getLogs', [filter], signal)) as NodeObject[]
  return logs as Logs // the gateway checks it against the contract
}

/** Parts that were read one after another are of one chain where the last block is still what it was. */
async function demandSameChain(node: ChainNode, { last, lastHash }: Range, { signal, fail }: LogCall): Promise<void> {
  const now = await blockAt(node, quantityOf(last), signal)
  if (now?.hash === lastHash) return
  const message = 'The chain was reorganised while its logs were read. Read them again, or only up to the safe block.'
  throw fail('UNAVAILABLE', message)
}
