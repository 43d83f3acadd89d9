import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { NodeFilter } from '../ports/node.ts'
import { news } from './filter-news.ts'
import { readLogs } from './get-logs.ts'
import { checkRange, type LogFilter } from './log-range.ts'

type Needs = 'clock' | 'ids' | 'node' | 'nodeFilters'
type Chain = typeof contract.chain

/** Milliseconds after which a filter that is not read is removed. */
const lifetimeMs = 300_000

/** Creates a filter for logs from now on. */
export const newFilter: Handler<Chain['newFilter'], Needs> = async (ports, { filter }, call) => {
  checkRange(filter, (await ports.node.head()).number, 'filter', call.fail)
  return await make(ports, call, 'logs', filter)
}

/** Creates a filter for blocks from now on. */
export const newBlockFilter: Handler<Chain['newBlockFilter'], Needs> = async (ports, _input, call) =>
  await make(ports, call, 'blocks', {})

/** Creates a filter for pending transactions from now on. */
export const newPendingTransactionFilter: Handler<Chain['newPendingTransactionFilter'], Needs> = async (
  ports,
  _input,
  call,
) => await make(ports, call, 'pending', {})

/** What is new since the last call. Of two concurrent callers each receives a part, and nothing comes twice. */
export const getFilterChanges: Handler<Chain['getFilterChanges'], Needs> = async (ports, { filterId }, call) => {
  while (true) {
    const filter = await living(ports, filterId, call.fail)
    const now = ports.clock.now() // Taken before reading, so that later news is left to the next call.
    const { reported, found } = await news(ports.node, filter, now, call)
    if (await ports.nodeFilters.advance(filter, reported, now)) return found
  }
}

/** All logs of the filter's range. */
export const getFilterLogs: Handler<Chain['getFilterLogs'], Needs> = async (ports, { filterId }, call) => {
  const filter = await living(ports, filterId, call.fail)
  if (filter.kind !== 'logs') throw call.fail('FAILED_PRECONDITION', 'filter not found: it is not a log filter')
  await ports.nodeFilters.advance(filter, filter.reported, ports.clock.now())
  return await readLogs(ports.node, filter.criteria, 'filter', call)
}

/** Removes a filter. */
export const uninstallFilter: Handler<Chain['uninstallFilter'], Needs> = async ({ nodeFilters }, { filterId }) =>
  await nodeFilters.remove(filterId)

async function make(
  ports: Pick<Ports, Needs>,
  { keyOrAddress: owner, fail }: { keyOrAddress: string; fail: Fail<'RATE_LIMITED'> },
  kind: NodeFilter['kind'],
  criteria: LogFilter,
): Promise<string> {
  const now = ports.clock.now()
  await ports.nodeFilters.purge(new Date(now.getTime() - lifetimeMs))
  // Random, because anyone who knows the id can read the filter; no leading zero, because it is a quantity.
  const id = `0x1${ports.ids.uuid().replaceAll('-', '').slice(1)}`
  const { number, hash } = await ports.node.head()
  await ports.nodeFilters.create({
    id,
    owner,
    kind,
    criteria,
    reported: [{ number: Number(number), hash }],
    readAt: now,
    reads: 0,
  })
  // Counted after it was stored, so that concurrent creations cannot exceed the limit together.
  if ((await ports.nodeFilters.count(owner)) <= bounds.nodeFilters) return id
  await ports.nodeFilters.remove(id)
  throw fail(
    'RATE_LIMITED',
    `A caller can have at most ${bounds.nodeFilters} filters, counted by API key or client address. Remove one with eth_uninstallFilter; one that is not read for 5 minutes is removed.`,
    { retryAfterSeconds: null, metadata: { limit: String(bounds.nodeFilters) } },
  )
}

/** The filter, while it is alive. Client libraries create the filter anew at this code and the words `filter not found`. */
async function living(
  { clock, nodeFilters }: Pick<Ports, Needs>,
  id: string,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<NodeFilter> {
  const filter = await nodeFilters.find(id)
  const alive = filter !== null && clock.now().getTime() - filter.readAt.getTime() < lifetimeMs
  if (alive) return filter
  throw fail(
    'FAILED_PRECONDITION',
    'filter not found: it was never created, was removed, or was not read for 5 minutes; create a new one',
  )
}
