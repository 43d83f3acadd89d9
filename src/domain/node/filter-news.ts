import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { ChainNode, NodeBlock } from '../ports/node.ts'
import type { NodeFilter } from '../ports/node-filters.ts'
import { type FilterCall, type Linked, logsThatFit, lostLogs } from './filter-logs.ts'
import { logLimits } from './log-range.ts'

/** Reported blocks that a filter stores: the deepest reorganisation that it reports in full. */
const remembered = 64

type News = { told: NodeFilter['told']; found: OutputOf<typeof contract.chain.getFilterChanges> }

/** What is new for a filter, and the blocks that it has reported then. FAILED_PRECONDITION where it cannot continue. */
export async function news(node: ChainNode, filter: NodeFilter, now: Date, call: FilterCall): Promise<News> {
  if (filter.kind === 'pending') return { told: filter.told, found: [...node.pendingBetween(filter.readAt, now)] }
  const head = await node.head()
  const base = await commonBlock(node, filter.told, call.signal)
  const removed = filter.told.filter(({ number }) => number > (base?.number ?? -1))
  const first = base === undefined ? (filter.told.at(-1)?.number ?? 0) : base.number + 1
  const added = await blocksBetween(node, { first, parent: base?.hash }, head, call.signal)
  const still = filter.told.filter((block) => !removed.includes(block))
  const told = (blocks: Linked[]) => [...blocks.toReversed().map(named), ...still].slice(0, remembered)
  if (filter.kind === 'blocks') return { told: told(added), found: added.map(({ hash }) => hash) }
  const lost = (await Promise.all(removed.map(({ hash }) => lostLogs(node, filter, hash, call)))).flat()
  const came = await logsThatFit(node, filter, added, logLimits.logs - lost.length, call)
  return { told: told(came.blocks), found: [...lost.map((log) => ({ ...log, removed: true })), ...came.logs] }
}

/** The newest reported block that is still on the chain. */
async function commonBlock(node: ChainNode, told: NodeFilter['told'], signal: AbortSignal) {
  for (const block of told) {
    const present = await blockAt(node, block.number, signal)
    if (present?.hash === block.hash) return block
  }
  return undefined
}

function named({ number, hash }: Linked): NodeFilter['told'][number] {
  return { number, hash }
}

/** Blocks that are read concurrently. */
const together = 16

/** Consecutive blocks, as far as each is the parent of the next: a reorganisation in between is left to the next call. */
async function blocksBetween(
  node: ChainNode,
  { first, parent }: { first: number; parent: string | undefined },
  head: NodeBlock,
  signal: AbortSignal,
): Promise<Linked[]> {
  const found: Linked[] = []
  for (let from = first; from <= Number(head.number); from += together) {
    const count = Math.min(together, Number(head.number) - from + 1)
    const asked = Array.from({ length: count }, (_, index) => blockAt(node, from + index, signal))
    for (const block of await Promise.all(asked)) {
      const before = found.at(-1)?.hash ?? parent
      if (block === null || (before !== undefined && block.parentHash !== before)) return found
      found.push(block)
    }
  }
  return found
}

async function blockAt(node: ChainNode, number: number, signal: AbortSignal): Promise<Linked | null> {
  const asked = await node.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], signal)
  if (asked === null) return null
  const { hash, parentHash } = asked as { hash: string; parentHash: string }
  return { number, hash, parentHash }
}
