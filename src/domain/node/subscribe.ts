import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { ChainNode, HeadChange, NodeObject } from '../ports/node.ts'
import type { LogFilter } from './log-range.ts'

type Event = OutputOf<typeof contract.chain.subscribe>

/** New heads, logs, pending transactions, or changes of the sync state, from now on until the caller disconnects. */
export const subscribe: Handler<typeof contract.chain.subscribe, 'node'> = async ({ node }, { type, filter }, call) => {
  if (filter !== undefined && type !== 'logs')
    throw invalid('filter', 'is allowed for the kind logs only; leave it out')
  if (type === 'newHeads') return heads(node, call.signal)
  if (type === 'logs') return logs(node, withoutRange(filter ?? {}), call.signal)
  if (type === 'newPendingTransactions') return pending(node, call.signal)
  return synchronisation(node, call.signal)
}

/** Drops the range of a filter, because a subscription begins now. */
function withoutRange(filter: LogFilter): LogFilter {
  if (filter.blockHash !== undefined) throw invalid('filter.blockHash', 'names a past block; use getLogs for it')
  const { fromBlock: _from, toBlock: _to, ...criteria } = filter
  return criteria
}

async function* heads(node: ChainNode, signal: AbortSignal): AsyncGenerator<Event> {
  for await (const { added } of node.changes(signal)) for (const { news } of added) yield news as Event
}

async function* logs(node: ChainNode, criteria: LogFilter, signal: AbortSignal): AsyncGenerator<Event> {
  for await (const change of node.changes(signal))
    for (const log of await logsOf(change, criteria)) yield { type: 'logs', log: log as Event['log'] }
}

/** The logs that a change removed, newest first, then the logs that it added. */
export async function logsOf({ removed, added }: HeadChange, criteria: LogFilter): Promise<NodeObject[]> {
  const found: NodeObject[] = []
  for (const block of removed) {
    const lost = (await block.logs()).filter((log) => matches(criteria, log))
    found.push(...lost.toReversed().map((log) => ({ ...log, removed: true })))
  }
  for (const block of added) found.push(...(await block.logs()).filter((log) => matches(criteria, log)))
  return found
}

async function* pending(node: ChainNode, signal: AbortSignal): AsyncGenerator<Event> {
  for await (const transactionHash of node.pending(signal)) yield { type: 'newPendingTransactions', transactionHash }
}

/** Whether the node is syncing: once at first, then whenever it changes. It is checked with each new head. */
async function* synchronisation(node: ChainNode, signal: AbortSignal): AsyncGenerator<Event> {
  let last: boolean | null = null
  const state = async () => (await node.request('eth_syncing', [], signal)) !== false
  last = await state()
  yield { type: 'syncing', syncing: last }
  for await (const _ of node.changes(signal)) {
    const present = await state()
    if (present !== last) yield { type: 'syncing', syncing: present }
    last = present
  }
}

/** Whether a log matches the addresses and topics of a filter. The block range is not checked. */
function matches({ address, topics }: Pick<LogFilter, 'address' | 'topics'>, log: NodeObject): boolean {
  if (address !== undefined && !isOneOf([address].flat(), log.address)) return false
  const found = log.topics as readonly string[]
  if ((topics?.length ?? 0) > found.length) return false
  return (topics ?? []).every((wanted, index) => {
    const choices = [wanted].flat()
    // An empty position matches any topic, as null does.
    return wanted === null || choices.length === 0 || isOneOf(choices, found[index])
  })
}

function isOneOf(choices: readonly unknown[], value: unknown): boolean {
  const sought = String(value).toLowerCase()
  return choices.some((choice) => String(choice).toLowerCase() === sought)
}
