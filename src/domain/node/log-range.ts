import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { type DomainError, type Fail, invalid } from '../core/errors.ts'

export type LogFilter = InputOf<typeof contract.chain.getLogs>['filter']

/** Most blocks and most logs of one query. */
export const logLimits = { blocks: 10_000n, logs: 10_000 } as const

/** Most blocks of one stream of logs, most blocks that it reads at once, and the size that it keeps its messages to. */
export const logStreamLimits = { blocks: 100_000n, blocksAtOnce: 1_000n, messageBytes: 1_048_576 } as const

/**
 * Most bytes of the logs of one read of a filter, as JSON. A read happens once, so its answer must not be refused for its
 * size: as protobuf it is within the 4 MiB that clients take unless they are made otherwise.
 */
export const filterReadBytes = 3_145_728

/** What reading the logs of one block counts as, so that a thousand blocks count as a million gas. */
export const gasOfBlockLogs = 1_000n

/** The error of a query over a limit: LIMIT_EXCEEDED, which names the field and how to stay below. */
export function overLimit(fail: Fail<'LIMIT_EXCEEDED'>, path: string, limit: number, message: string): DomainError {
  const violations = [{ path, message, code: 'too_big' }]
  return fail('LIMIT_EXCEEDED', `${path}: ${message}`, { violations, metadata: { limit: `${limit}` } })
}

/**
 * Refuses a range that contradicts itself or exceeds the limit, and returns the blocks of others. `latest` is the number of
 * the newest block.
 */
export function checkRange(filter: LogFilter, latest: bigint, path: string, fail: Fail<'LIMIT_EXCEEDED'>): bigint {
  const { fromBlock, toBlock, blockHash } = filter
  if (blockHash !== undefined) {
    if (fromBlock === undefined && toBlock === undefined) return 1n
    throw invalid(`${path}.blockHash`, 'names one block; leave fromBlock and toBlock out')
  }
  const from = numberOf(fromBlock, latest)
  const to = numberOf(toBlock, latest)
  if (from > to) throw invalid(`${path}.fromBlock`, 'is after toBlock')
  if (to - from < logLimits.blocks) return to - from + 1n
  const { blocks } = logLimits
  throw overLimit(
    fail,
    `${path}.fromBlock`,
    Number(blocks),
    `is a range of more than ${blocks} blocks; read it in parts`,
  )
}

/** The tags `safe`, `finalized` and `pending` count as the newest block. */
function numberOf(tag: string | undefined, latest: bigint): bigint {
  if (tag?.startsWith('0x')) return BigInt(tag)
  return tag === 'earliest' ? 0n : latest
}
