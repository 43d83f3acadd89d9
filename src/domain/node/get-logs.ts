import type { contract } from '../../contract/index.ts'
import { DomainError, type Fail, invalid } from '../core/errors.ts'
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
  const { number: newest } = await node.head()
  const blocks = checkRange(filter, newest, path, fail)
  spent(Number(blocks * gasOfBlockLogs))
  // The node decides, as it may have a newer block than the head that is known here.
  const found = await node.request('eth_getLogs', [filter], signal).catch((failure: unknown) => {
    throw isMissing(failure) && endsBeyond(filter, newest) ? beyondHead(path) : failure
  })
  const logs = found as Logs // the gateway checks it against the contract
  if (logs.length <= logLimits.logs) return logs
  const most = logLimits.logs
  throw overLimit(fail, path, most, `matches more than ${most} logs; use a shorter range or fewer contracts`)
}

const isMissing = (failure: unknown) => failure instanceof DomainError && failure.code === 'NOT_FOUND'

function endsBeyond({ fromBlock, toBlock }: LogFilter, newest: bigint): boolean {
  return [fromBlock, toBlock].some((block) => block?.startsWith('0x') && BigInt(block) > newest)
}

const beyondHead = (path: string) => invalid(`${path}.toBlock`, 'the block range extends beyond the current head block')
