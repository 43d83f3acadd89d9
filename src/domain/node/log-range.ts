import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { DomainError, invalid } from '../core/errors.ts'

export type LogFilter = InputOf<typeof contract.chain.getLogs>['filter']

/** Most blocks and most logs of one query. */
export const logLimits = { blocks: 10_000n, logs: 10_000 } as const

/** Says that a query is over a limit, and how to stay below it: LIMIT_EXCEEDED that names the field. */
export function overLimit(path: string, limit: number, message: string): DomainError {
  const violations = [{ path, message, code: 'too_big' }]
  return new DomainError('LIMIT_EXCEEDED', `${path}: ${message}`, { violations, metadata: { limit: `${limit}` } })
}

/** Refuses a range that contradicts itself or is longer than the limit. `latest` is the number of the newest block. */
export function checkRange(filter: LogFilter, latest: bigint, path: string): void {
  const { fromBlock, toBlock, blockHash } = filter
  if (blockHash !== undefined) {
    if (fromBlock === undefined && toBlock === undefined) return
    throw invalid(`${path}.blockHash`, 'names one block; leave fromBlock and toBlock out')
  }
  const from = numberOf(fromBlock, latest)
  const to = numberOf(toBlock, latest)
  if (from > to) throw invalid(`${path}.fromBlock`, 'is after toBlock')
  if (to - from < logLimits.blocks) return
  const { blocks } = logLimits
  throw overLimit(
    `${path}.fromBlock`,
    Number(blocks),
    `asks for more than ${blocks} blocks; ask for the range in parts`,
  )
}

/** The tags that lag behind count as the newest block: a range from one of them is never longer than it looks. */
function numberOf(tag: string | undefined, latest: bigint): bigint {
  if (tag?.startsWith('0x')) return BigInt(tag)
  return tag === 'earliest' ? 0n : latest
}
