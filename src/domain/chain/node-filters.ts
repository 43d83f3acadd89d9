import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/limits.ts'
import type { OutputOf } from '../../contract/operation.ts'
import { DomainError } from '../errors.ts'
import type { Handler } from '../handler.ts'
import type { ChainNode, NodeBlock, NodeObject } from '../ports/node.ts'
import type { NodeFilter } from '../ports/node-filters.ts'
import type { Ports } from '../ports.ts'
import { readLogs } from './get-logs.ts'
import { checkRange, type LogFilter } from './log-range.ts'

type Needs = 'clock' | 'ids' | 'node' | 'nodeFilters'
type Chain = typeof contract.chain

/** A filter that nobody reads for so long is removed. */
const lifetimeMs = 300_000
/** How many told blocks a filter remembers: how deep a reorganisation may go and still be told in full. */
const remembered = 64

/** Makes a filter for logs from now on. */
export const newFilter: Handler<Chain['newFilter'], Needs> = async (ports, { filter }, { clientAddress }) => {
  checkRange(filter, (await ports.node.head()).number, 'filter')
  return await make(ports, clientAddress, 'logs', filter)
}

/** Makes a filter for blocks from now on. */
export const newBlockFilter: Handler<Chain['newBlockFilter'], Needs> = async (ports, _input, { clientAddress }) =>
  await make(ports, clientAddress, 'blocks', {})

/** Makes a filter for waiting transactions from now on. */
export const newPendingTransactionFilter: Handler<Chain['newPendingTransactionFilter'], Needs> = async (
  ports,
  _input,
  { clientAddress },
) => await make(ports, clientAddress, 'pending', {})

/** What is new since the last question. Of two readers at once each gets its share once. */
export const getFilterChanges: Handler<Chain['getFilterChanges'], Needs> = async (ports, { filterId }, call) => {
  while (true) {
    const filter = await living(ports, filterId)
    const now = ports.clock.now() // Before reading: what comes meanwhile is for the next time.
    const { told, found } = await news(ports.node, filter, now, call.signal)
    if (await ports.nodeFilters.advance(filter, told, now)) return found
  }
}

/** All logs of the filter's range. */
export const getFilterLogs: Handler<Chain['getFilterLogs'], Needs> = async (ports, { filterId }, call) => {
  const filter = await living(ports, filterId)
  if (filter.kind !== 'logs') throw call.fail('FAILED_PRECONDITION', 'filter not found: it is none for logs')
  await ports.nodeFilters.advance(filter, filter.told, ports.clock.now())
  return await readLogs(ports.node, filter.criteria, 'filter', call.signal)
}

/** Removes a filter. */
export const uninstallFilter: Handler<Chain['uninstallFilter'], Needs> = async ({ nodeFilters }, { filterId }) =>
  await nodeFilters.remove(filterId)

async function make(
  ports: Pick<Ports, Needs>,
  owner: string,
  kind: NodeFilter['kind'],
  criteria: LogFilter,
): Promise<string> {
  const now = ports.clock.now()
  await ports.nodeFilters.purge(new Date(now.getTime() - lifetimeMs))
  // Random, since whoever knows the id reads the filter; no leading zero, since it is a quantity.
  const id = `0x1${ports.ids.uuid().replaceAll('-', '').slice(1)}`
  const { number, hash } = await ports.node.head()
  await ports.nodeFilters.create({
    id,
    owner,
    kind,
    criteria,
    told: [{ number: Number(number), hash }],
    readAt: now,
    reads: 0,
  })
  // Counted with itself, so that of many at once, on whatever process, none too many stays.
  if ((await ports.nodeFilters.count(owner)) <= bounds.nodeFilters) return id
  await ports.nodeFilters.remove(id)
  throw new DomainError(
    'RATE_LIMITED',
    `At most ${bounds.nodeFilters} filters an address; remove one with eth_uninstallFilter, or leave one unread for 5 minutes.`,
    { metadata: { limit: String(bounds.nodeFilters) } },
  )
}

/** The code and the words at which client libraries make the filter anew. */
async function living({ clock, nodeFilters }: Pick<Ports, Needs>, id: string): Promise<NodeFilter> {
  const filter = await nodeFilters.find(id)
  const alive = filter !== null && clock.now().getTime() - filter.readAt.getTime() < lifetimeMs
  if (alive) return filter
  throw new DomainError('FAILED_PRECONDITION', 'filter not found: it was never made, or not read for 5 minutes')
}

type News = { told: NodeFilter['told']; found: OutputOf<Chain['getFilterChanges']> }

async function news(node: ChainNode, filter: NodeFilter, now: Date, signal: AbortSignal): Promise<News> {
  if (filter.kind === 'pending') return { told: filter.told, found: [...node.pendingBetween(filter.readAt, now)] }
  const head = await node.head()
  const base = await commonBlock(node, filter.told, signal)
  const removed = filter.told.filter(({ number }) => number > (base?.number ?? -1))
  const first = base === undefined ? (filter.told.at(-1)?.number ?? 0) : base.number + 1
  const added = await blocksBetween(node, first, head, signal)
  const told = [...added.toReversed(), ...filter.told.filter((block) => !removed.includes(block))].slice(0, remembered)
  if (filter.kind === 'blocks') return { told, found: added.map(({ hash }) => hash) }
  const lost = await Promise.all(removed.map(({ hash: blockHash }) => askLogs(node, filter, { blockHash }, signal)))
  const came = added.length === 0 ? [] : await logsBetween(node, filter, added, signal)
  return { told, found: [...lost.flat().map((log) => ({ ...log, removed: true })), ...came] }
}

/** The newest block that the filter has told of and that still is one. */
async function commonBlock(node: ChainNode, told: NodeFilter['told'], signal: AbortSignal) {
  for (const block of told) {
    const present = await blockAt(node, block.number, signal)
    if (present?.hash === block.hash) return block
  }
  return undefined
}

async function blocksBetween(node: ChainNode, first: number, head: NodeBlock, signal: AbortSignal) {
  const numbers = Array.from({ length: Math.max(0, Number(head.number) - first + 1) }, (_, index) => first + index)
  const blocks = await Promise.all(numbers.map((number) => blockAt(node, number, signal)))
  return blocks.filter((block) => block !== null)
}

async function blockAt(node: ChainNode, number: number, signal: AbortSignal) {
  const asked = await node.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], signal)
  return asked === null ? null : { number, hash: (asked as { hash: string }).hash }
}

/** One question for the range; what a reorganisation in between brought belongs to the next reading. */
async function logsBetween(
  node: ChainNode,
  filter: NodeFilter,
  added: { number: number; hash: string }[],
  signal: AbortSignal,
) {
  const [first, last] = [added[0], added.at(-1)].map((block) => `0x${(block?.number ?? 0).toString(16)}`)
  const logs = await askLogs(node, filter, { fromBlock: first, toBlock: last }, signal)
  const hashes = new Set<unknown>(added.map(({ hash }) => hash))
  return logs.filter((log) => hashes.has(log.blockHash))
}

async function askLogs(node: ChainNode, { criteria }: NodeFilter, where: NodeObject, signal: AbortSignal) {
  const { address, topics } = criteria
  const logs = await node.request('eth_getLogs', [{ address, topics, ...where }], signal)
  return logs as NodeObject[]
}
