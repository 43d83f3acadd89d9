import { DomainError } from '../core/errors.ts'
import type { ChainNode, NodeObject } from '../ports/node.ts'
import type { NodeFilter } from '../ports/node-filters.ts'
import { type LogFilter, logLimits, overLimit } from './log-range.ts'

/** How many blocks are asked for side by side, each by its hash: more than nodes of one chain are usually apart. */
const together = 16

/** A block that a filter has to tell of. */
export type Linked = NodeFilter['told'][number] & { parentHash: string }

type Came = { blocks: Linked[]; logs: NodeObject[] }

/** The logs of so many of the blocks, from the first on, that there is room for them; the others are for the next reading. */
export async function logsThatFit(
  node: ChainNode,
  filter: NodeFilter,
  blocks: Linked[],
  room: number,
  signal: AbortSignal,
): Promise<Came> {
  if (room < 0) throw tooMany()
  if (blocks.length === 0) return { blocks, logs: [] }
  const came = await logsBetween(node, filter, blocks, signal).catch((failure: unknown) => {
    if (blocks.length > 1 && failure instanceof DomainError && failure.code === 'LIMIT_EXCEEDED') return null
    throw failure
  })
  if (came !== null && came.logs.length <= room) return came
  if (blocks.length > 1) return await logsThatFit(node, filter, blocks.slice(0, blocks.length / 2), room, signal)
  throw tooMany()
}

function tooMany(): DomainError {
  const most = logLimits.logs
  return overLimit('filterId', most, `more than ${most} logs came at once; remove it and make one for fewer contracts`)
}

/**
 * The newest blocks are asked for by their hashes: of several nodes one that has yet to learn of a block, or that has
 * another in its place, then says so, where to a range it would answer that there are no logs. All before them are one
 * question.
 */
async function logsBetween(node: ChainNode, filter: NodeFilter, added: Linked[], signal: AbortSignal): Promise<Came> {
  const older = added.slice(0, -together)
  const newest = added.slice(-together)
  const asked = newest.map((block) => knownLogs(node, filter, block, signal))
  const [early, ...late] = await Promise.all([rangeLogs(node, filter, older, signal), ...asked])
  // What no node has any more, or yet, is for the next reading, with all that comes after it.
  const unknown = late.indexOf(null)
  const found = unknown === -1 ? late : late.slice(0, unknown)
  const logs = [...early, ...found.flatMap((each) => each ?? [])]
  return {
    blocks: added.slice(0, older.length + found.length),
    logs: logs.filter((log) => isInRange(filter.criteria, log)),
  }
}

async function rangeLogs(node: ChainNode, filter: NodeFilter, blocks: Linked[], signal: AbortSignal) {
  if (blocks.length === 0) return []
  const [first, last] = [blocks[0], blocks.at(-1)].map((block) => `0x${(block?.number ?? 0).toString(16)}`)
  const logs = await askLogs(node, filter, { fromBlock: first, toBlock: last }, signal)
  const hashes = new Set<unknown>(blocks.map(({ hash }) => hash))
  return logs.filter((log) => hashes.has(log.blockHash))
}

/** The logs of a block; null where the node does not know it. */
async function knownLogs(node: ChainNode, filter: NodeFilter, { hash }: Linked, signal: AbortSignal) {
  return await askLogs(node, filter, { blockHash: hash }, signal).catch((failure: unknown) => {
    if (failure instanceof DomainError && failure.code === 'NOT_FOUND') return null
    throw failure
  })
}

/** A filter for a range that has an end tells nothing of later blocks. */
function isInRange({ toBlock, blockHash }: LogFilter, log: NodeObject): boolean {
  if (blockHash !== undefined) return log.blockHash === blockHash.toLowerCase()
  return !toBlock?.startsWith('0x') || BigInt(String(log.blockNumber)) <= BigInt(toBlock)
}

/** Logs of a block that was taken back. Where the node has forgotten them the filter cannot go on, and is made anew. */
export async function lostLogs(node: ChainNode, filter: NodeFilter, blockHash: string, signal: AbortSignal) {
  return await askLogs(node, filter, { blockHash }, signal).catch((failure: unknown) => {
    if (!(failure instanceof DomainError) || failure.code !== 'NOT_FOUND') throw failure
    throw new DomainError(
      'FAILED_PRECONDITION',
      'filter not found: blocks that it told of were taken back, and the node has forgotten their logs',
      {},
      failure,
    )
  })
}

async function askLogs(node: ChainNode, { criteria }: NodeFilter, where: NodeObject, signal: AbortSignal) {
  const { address, topics } = criteria
  const logs = await node.request('eth_getLogs', [{ address, topics, ...where }], signal)
  return logs as NodeObject[]
}
