import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { presentExecution } from './present-execution.ts'

type Needs = 'chains' | 'executions' | 'tradingSettings'

/** The account's real trades, newest first, a page at a time. */
export const listExecutions: Handler<typeof contract.trading.listExecutions, Needs> = async (ports, input, call) => {
  const { cursor = null, limit = bounds.pageItems } = input
  if (cursor !== null && (await ports.executions.find(call.principal.userId, cursor)) === null) {
    throw invalid('cursor', 'send next_cursor of an earlier page as it was')
  }
  const found = await ports.executions.list(call.principal.userId, cursor, limit + 1)
  const items = found.slice(0, limit)
  const more = found.length > limit
  return {
    items: items.map((execution) => presentExecution(ports, execution)),
    next_cursor: more ? (items.at(-1)?.id ?? null) : null,
  }
}
