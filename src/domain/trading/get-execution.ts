import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentExecution } from './present-execution.ts'

type Needs = 'chains' | 'executions' | 'tradingSettings'

/** One real trade of the account as it is now. */
export const getExecution: Handler<typeof contract.trading.getExecution, Needs> = async (ports, input, call) => {
  const execution = await ports.executions.find(call.principal.userId, input.execution_id)
  if (execution === null) throw call.fail('NOT_FOUND', 'You have no such execution; list yours to find its id.')
  return presentExecution(ports, execution)
}
