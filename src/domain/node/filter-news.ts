import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { quantityOf } from '../../kit/hex.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import type { ChainNode, NodeBlock, NodeFilter, NodeObject } from '../ports/node.ts'
import { filterReadBytes, type LogFilter, logLimits, overLimit } from './log-range.ts'

/** A block that a filter has to report. */
type Linked = NodeFilter['reported'][number] & { parentHash: string }

/** Reported blocks that a filter stores: the deepest reorganisation that it reports in full. */
const remembered = 64

type News = { reported: NodeFilter['reported']; found: OutputOf<typeof contract.chain.getFilterChanges> }

/** What is new for a filter, and the blocks that it has reported afterwards. FAILED_PRECONDITION where it cannot continue. */
export async function news(node: ChainNode, filter: NodeFilter, now: Date, call: FilterCall): Promise<News> {
  if (filter.kind === 'pending')
    return { reported: filter.reported, found: [...node.pendingBetween(filter.readAt, now)] }
  const head = await node.head()
  const base = await commonBlock(node, filter.reported, call.signal)
  const removed = filter.reported.filter(({ number }) => number > (base?.number ?? -1))
  const first = base === undefined ? (filter.reported.at(-1)?.number ?? 0) : base.number + 1
  const added = await blocksBetween(node, { first, parent: base?.hash }, head, call.signal)
  const remaining = filter.reported.filter((block) => !removed.includes(block))
  const withAdded = (blocks: Linked[]) => [...blocks.toReversed().map(named), ...remaining].slice(0, remembered)
  if (filter.kind === 'blocks') return { reported: withAdded(added), found: added.map(({ hash }) => hash) }
  const undone = (await Promise.all(removed.map(({ hash }) => removedLogs(node, filter, hash, call)))).flat()
  const room = {
    logs: logLimits.logs - undone.length,
    bytes: filterReadBytes - bytesOf(undone),
    // Beside removed logs a block that does not fit waits for the next call, which needs a block to begin from.
    mayBeEmpty: undone.length > 0 && remaining.length > 0,
  }
  const read = await logsThatFit(node, filter, added, room, call)
  return {
    reported: withAdded(read.blocks),
    found: [...undone.map((log) => ({ ...log, removed: true })), ...read.logs],
  }
}

/** The newest reported block that is still on the chain. */
async function commonBlock(node: ChainNode, reported: NodeFilter['reported'], signal: AbortSignal) {
  for (const block of reported) {
    const present = await blockAt(node, block.number, signal)
    if (present?.hash === block.hash) return block
  }
  return undefined
}

function named({ number, hash }: Linked): NodeFilter['reported'][number] {
  return { number, hash }
}

/** Blocks, or logs of blocks, that are read concurrently: more than the nodes of one chain usually differ by. */
const concurrent = 16

/** Consecutive blocks, as far as each is the parent of the next: a reorganisation in between is left to the next call. */
async function blocksBetween(
  node: ChainNode,
  { first, parent }: { first: number; parent: string | undefined },
  head: NodeBlock,
  signal: AbortSignal,
): Promise<Linked[]> {
  const found: Linked[] = []
  for (let from = first; from <= Number(head.number); from += concurrent) {
    const count = Math.min(concurrent, Number(head.number) - from + 1)
    const blocks = Array.from({ length: count }, (_, index) => blockAt(node, from + index, signal))
    for (const block of await Promise.all(blocks)) {
      const before = found.at(-1)?.hash ?? parent
      if (block === null || (before !== undefined && block.parentHash !== before)) return found
      found.push(block)
    }
  }
  return found
}

async function blockAt(node: ChainNode, number: number, signal: AbortSignal): Promise<Linked | null> {
  const found = await node.request('eth_getBlockByNumber', [quantityOf(number), false], signal)
  if (found === null) return null
  const { hash, parentHash } = found as { hash: string; parentHash: string }
  return { number, hash, parentHash }
}

/** What reading a filter uses of its call. */
type FilterCall = { signal: AbortSignal; fail: Fail<'FAILED_PRECONDITION' | 'LIMIT_EXCEEDED'> }

type FilterLogs = { blocks: Linked[]; logs: NodeObject[] }

/** What an answer still has room for. */
type Room = { logs: number; bytes: number; mayBeEmpty: boolean }

function bytesOf(logs: readonly NodeObject[]): number {
  return logs.reduce((sum, log) => sum + JSON.stringify(log).length, 0)
}

/**
 * The logs of as many of the first blocks as fit into the room, and of one block whatever its bytes where that is all. The
 * next call reports the other blocks.
 */
async function logsThatFit(
  node: ChainNode,
  filter: NodeFilter,
  blocks: Linked[],
  room: Room,
  call: FilterCall,
): Promise<FilterLogs> {
  if (room.logs < 0) throw tooMany(call.fail)
  if (blocks.length === 0) return { blocks, logs: [] }
  const read = await logsBetween(node, filter, blocks, call).catch((failure: unknown) => {
    if (blocks.length > 1 && failure instanceof DomainError && failure.code === 'LIMIT_EXCEEDED') return null
    throw failure
  })
  if (read !== null && fits(read.logs, blocks.length, room)) return read
  if (blocks.length === 1 && room.mayBeEmpty) return { blocks: [], logs: [] }
  if (blocks.length > 1) return await logsThatFit(node, filter, blocks.slice(0, blocks.length / 2), room, call)
  throw tooMany(call.fail)
}

function fits(logs: readonly NodeObject[], blocks: number, { logs: most, bytes, mayBeEmpty }: Room): boolean {
  return logs.length <= most && ((blocks === 1 && !mayBeEmpty) || bytesOf(logs) <= bytes)
}

function tooMany(fail: Fail<'LIMIT_EXCEEDED'>): DomainError {
  const most = logLimits.logs
  return overLimit(
    fail,
    'filterId',
    most,
    `has more than ${most} new logs; remove it and create one for fewer contracts`,
  )
}

/**
 * The newest blocks are read by hash: a node that lacks a block then says so, where for a range it would return no logs.
 * All older blocks are one range.
 */
async function logsBetween(
  node: ChainNode,
  filter: NodeFilter,
  added: Linked[],
  call: FilterCall,
): Promise<FilterLogs> {
  const older = added.slice(0, -concurrent)
  const newest = added.slice(-concurrent)
  const reads = newest.map((block) => knownLogs(node, filter, block, call))
  const [early, ...late] = await Promise.all([rangeLogs(node, filter, older, call), ...reads])
  // The next call reports a block that no node has yet, and all blocks after it.
  const unknown = late.indexOf(null)
  const found = unknown === -1 ? late : late.slice(0, unknown)
  const logs = [...early, ...found.flatMap((each) => each ?? [])]
  return {
    blocks: added.slice(0, older.length + found.length),
    logs: logs.filter((log) => isInRange(filter.criteria, log)),
  }
}

async function rangeLogs(node: ChainNode, filter: NodeFilter, blocks: Linked[], call: FilterCall) {
  if (blocks.length === 0) return []
  const [first, last] = [blocks[0], blocks.at(-1)].map((block) => quantityOf(block?.number ?? 0))
  const logs = await requestLogs(node, filter, { fromBlock: first, toBlock: last }, call)
  const hashes = new Set<unknown>(blocks.map(({ hash }) => hash))
  return logs.filter((log) => hashes.has(log.blockHash))
}

/** The logs of a block; null where the node does not know it. */
async function knownLogs(node: ChainNode, filter: NodeFilter, { hash }: Linked, call: FilterCall) {
  return await requestLogs(node, filter, { blockHash: hash }, call).catch((failure: unknown) => {
    if (failure instanceof DomainError && failure.code === 'NOT_FOUND') return null
    throw failure
  })
}

/** A filter for a range with an end reports no later blocks. */
function isInRange({ toBlock, blockHash }: LogFilter, log: NodeObject): boolean {
  if (blockHash !== undefined) return log.blockHash === blockHash.toLowerCase()
  return !toBlock?.startsWith('0x') || BigInt(String(log.blockNumber)) <= BigInt(toBlock)
}

/** The logs of a block that left the chain. FAILED_PRECONDITION where the node no longer has them: a client then creates the filter anew. */
async function removedLogs(node: ChainNode, filter: NodeFilter, blockHash: string, call: FilterCall) {
  return await requestLogs(node, filter, { blockHash }, call).catch((failure: unknown) => {
    if (!(failure instanceof DomainError) || failure.code !== 'NOT_FOUND') throw failure
    throw call.fail(
      'FAILED_PRECONDITION',
      'filter not found: blocks that it reported left the chain, and the node no longer has their logs; create a new filter',
      {},
      failure,
    )
  })
}

async function requestLogs(node: ChainNode, { criteria }: NodeFilter, where: NodeObject, call: FilterCall) {
  const { address, topics } = criteria
  const logs = await node.request('eth_getLogs', [{ address, topics, ...where }], call.signal)
  return logs as NodeObject[]
}
