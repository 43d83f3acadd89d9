import type { contract } from '../../contract/index.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import { checkRange, gasOfBlockLogs, type LogFilter, logLimits, overLimit } from './log-range.ts'
import type { Logs } from './whole-blocks.ts'

/** What reading logs uses of its call. */
type LogCall = { signal: AbortSignal; spent: (gas: number) => void; fail: Fail<'LIMIT_EXCEEDED'> }

/** The logs of a bounded range. */
export const getLogs: Handler<typeof contract.chain.getLogs, 'node'> = async ({ node }, { filter }, call) =>
  await readLogs(node, filter, 'filter', call)

/** Reads the logs of a filter from the node, within the limits. */
export async function readLogs(
  node: Ports['node'],
  filter: LogFilter,
  path: string,
  { signal, spent, fail }: LogCall,
): Promise<Logs> {
  const blocks = checkRange(filter, (await node.head()).number, path, fail)
  spent(Number(blocks * gasOfBlockLogs))
  const logs = (await node.request('eth_getLogs', [filter], signal)) as Logs // the gateway checks it against the contract
  if (logs.length <= logLimits.logs) return logs
  const most = logLimits.logs
  throw overLimit(fail, path, most, `matches more than ${most} logs; use a shorter range or fewer contracts`)
}
