import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { quantityOf } from '../../kit/hex.ts'
import type { ChainNode, NodeBlock, NodeFilter } from '../ports/node.ts'
import { type FilterCall, type Linked, logsThatFit, removedLogs } from './filter-logs.ts'
import { logLimits } from './log-range.ts'

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
  const read = await logsThatFit(node, filter, added, logLimits.logs - undone.length, call)
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

/** Number of blocks that are read concurrently. */
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
