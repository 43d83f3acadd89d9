import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { NodeFilter } from '../ports/node-filters.ts'
import { news } from './filter-news.ts'
import { readLogs } from './get-logs.ts'
import { checkRange, type LogFilter } from './log-range.ts'

type Needs = 'clock' | 'ids' | 'node' | 'nodeFilters'
type Chain = typeof contract.chain

/** A filter that nobody reads for so long is removed. */
const lifetimeMs = 300_000

/** Makes a filter for logs from now on. */
export const newFilter: Handler<Chain['newFilter'], Needs> = async (ports, { filter }, { keyOrAddress }) => {
  checkRange(filter, (await ports.node.head()).number, 'filter')
  return await make(ports, keyOrAddress, 'logs', filter)
}

/** Makes a filter for blocks from now on. */
export const newBlockFilter: Handler<Chain['newBlockFilter'], Needs> = async (ports, _input, { keyOrAddress }) =>
  await make(ports, keyOrAddress, 'blocks', {})

/** Makes a filter for waiting transactions from now on. */
export const newPendingTransactionFilter: Handler<Chain['newPendingTransactionFilter'], Needs> = async (
  ports,
  _input,
  { keyOrAddress },
) => await make(ports, keyOrAddress, 'pending', {})

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
    `At most ${bounds.nodeFilters} filters a caller, by API key or client address; remove one with eth_uninstallFilter, or leave one unread for 5 minutes.`,
    { retryAfterSeconds: null, metadata: { limit: String(bounds.nodeFilters) } },
  )
}

/** The code and the words at which client libraries make the filter anew. */
async function living({ clock, nodeFilters }: Pick<Ports, Needs>, id: string): Promise<NodeFilter> {
  const filter = await nodeFilters.find(id)
  const alive = filter !== null && clock.now().getTime() - filter.readAt.getTime() < lifetimeMs
  if (alive) return filter
  throw new DomainError(
    'FAILED_PRECONDITION',
    'filter not found: it was never made, removed, or not read for 5 minutes; make a new one',
  )
}
