import type { contract } from '../../contract/index.ts'
import type { Call, Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import { isAwaiting, moveOf } from '../sending/execution-state.ts'
import { readSwap } from '../values/swap.ts'
import { isOverdue, notConfirmed } from './awaited.ts'
import { type Answer, answerOf, make, type TradeNeeds, type TradeRequest } from './trade.ts'

type Needs = TradeNeeds | 'sessions'
type ConfirmCall = Call<typeof contract.trading.confirmExecution>

/**
 * Confirms or declines a trade that waits for the account. A confirmed one is evaluated anew, with the amount and at least
 * the minimum that it showed; the one caller that moves it on trades it, all others see how it stands.
 */
export const confirmExecution: Handler<typeof contract.trading.confirmExecution, Needs> = async (
  ports,
  input,
  call,
) => {
  const execution = await ports.executions.find(call.principal.userId, input.execution_id)
  if (execution === null) throw gone(call)
  if (isOverdue(execution, ports.clock.now())) {
    await ports.executions.discard(execution.id, notConfirmed)
    throw gone(call)
  }
  if (!isAwaiting(execution.state)) return answerOf(ports, execution)
  if (!input.approve) {
    await ports.executions.discard(execution.id, 'The account declined it.')
    return { status: 'rejected', message: 'The trade was declined. Nothing was traded, and its key is free.' }
  }
  const move = moveOf('awaiting_confirmation', 'requested')
  const change = { message: 'The account confirmed the trade; it is being checked anew.', updatedAt: ports.clock.now() }
  const claimed = await ports.executions.move(execution, [{ move, change }])
  if (claimed !== null) return await trade(ports, claimed, call)
  const known = await ports.executions.load(execution.id)
  if (known === null) throw gone(call)
  return answerOf(ports, known)
}

function gone(call: ConfirmCall): Error {
  return call.fail(
    'NOT_FOUND',
    'You have no such trade. One that was declined, or not confirmed within ten minutes, is gone; its key is free.',
  )
}

/** Trades what was claimed. Where it is refused, nothing of it is left. */
async function trade(ports: Pick<Ports, Needs>, execution: Execution, call: ConfirmCall): Promise<Answer> {
  const discard = async (failure: unknown): Promise<never> => {
    await ports.executions.discard(execution.id, 'It could not be traded when it was confirmed.')
    throw failure
  }
  const { sessionId, awaitedRequest, amountIn, minimumOut } = execution
  const session = sessionId === null ? null : await ports.sessions.find(sessionId).catch(discard)
  if (session === null || awaitedRequest === null)
    return await discard(call.fail('FAILED_PRECONDITION', 'The session that requested the trade was deleted.'))
  const { quote_id: _quote, ...requested } = JSON.parse(awaitedRequest) as TradeRequest // `place` wrote it
  const exact = { amount_in: amountIn.toString(), amount_in_currency: 'base_units' } as const
  const request = { ...requested, input: { ...requested.input, ...exact } }
  const swap = await readSwap(ports.chains, request.input).catch(discard)
  const order = { execution, request, swap, grant: session.grant, confirmed: { leastOut: minimumOut } }
  return await make(ports, order, ports.clock.limit(ports.tradingSettings.timeoutMs), call.fail)
}
