import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import { checkRange, type LogFilter, logLimits, overLimit } from './log-range.ts'

type Logs = OutputOf<typeof contract.chain.getLogs>

/** The logs of a bounded range. */
export const getLogs: Handler<typeof contract.chain.getLogs, 'node'> = async ({ node }, { filter }, call) =>
  await readLogs(node, filter, 'filter', call.signal)

/** Asks the node for the logs of a filter, within the limits. */
export async function readLogs(
  node: Ports['node'],
  filter: LogFilter,
  path: string,
  signal: AbortSignal,
): Promise<Logs> {
  checkRange(filter, (await node.head()).number, path)
  const logs = (await node.request('eth_getLogs', [filter], signal)) as Logs // the gateway holds it against the contract
  if (logs.length <= logLimits.logs) return logs
  const most = logLimits.logs
  throw overLimit(path, most, `matches more than ${most} logs; ask for a shorter range or for fewer contracts`)
}
