import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Call, Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import type { RiskReport } from '../risk/risk-checks.ts'
import { isAwaiting, moveOf } from '../sending/execution-state.ts'
import { readSwap } from '../values/swap.ts'
import { isOverdue, notConfirmed } from './awaited.ts'
import { assessTrade, mostRiskReasons } from './evaluate-trade.ts'
import { type Answer, answerOf, make, type TradeNeeds, type TradeRequest } from './trade.ts'

type Needs = TradeNeeds
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
  if (execution.state === 'rejected') throw await over(ports, execution, call)
  if (!isAwaiting(execution.state)) return await answerOf(ports, execution)
  if (!input.approve) {
    if (await ports.executions.discard(execution.id, 'The account declined it.'))
      return { status: 'rejected', message: 'The trade was declined. Nothing was traded, and its key is free.' }
    return await nowOf(ports, execution, call)
  }
  const levels = await acceptedLevels(ports, execution, input.acknowledge, call)
  const move = moveOf('awaiting_confirmation', 'requested')
  const change = { message: 'The account confirmed the trade; it is being checked anew.', updatedAt: ports.clock.now() }
  const claimed = await ports.executions.move(execution, [{ move, change }])
  if (claimed !== null) return await trade(ports, claimed, levels, call)
  return await nowOf(ports, execution, call)
}

/** How a trade stands that another call has decided on. */
async function nowOf(ports: Pick<Ports, Needs>, { id }: Execution, call: ConfirmCall): Promise<Answer> {
  const known = await ports.executions.load(id)
  if (known === null) throw gone(call)
  if (known.state === 'rejected') throw await over(ports, known, call)
  return await answerOf(ports, known)
}

/** Why a trade that was rejected cannot be decided on. */
async function over({ sessions }: Pick<Ports, 'sessions'>, execution: Execution, call: ConfirmCall): Promise<Error> {
  const { sessionId, message } = execution
  const isEnded = sessionId !== null && (await sessions.find(sessionId)) === null
  return isEnded ? call.fail('FAILED_PRECONDITION', message) : gone(call, ` ${message}`)
}

function gone(call: ConfirmCall, why = ''): Error {
  return call.fail('NOT_FOUND', `No such trade of yours waits.${why} The key of one that was not traded is free.`)
}

/** The level of risk that each word of an approval accepts. */
const acknowledged = { risk_high: 'high', risk_unknown: 'unknown' } as const

/**
 * The levels of risk that the account accepts, once the risk was judged anew, before anything of the trade changes.
 * INVALID_ARGUMENT where it did not acknowledge the present one, FAILED_PRECONDITION where the chain allows none; the trade waits on.
 */
async function acceptedLevels(
  ports: Pick<Ports, Needs>,
  execution: Execution,
  acknowledge: readonly (keyof typeof acknowledged)[],
  call: ConfirmCall,
): Promise<readonly RiskReport['level'][]> {
  const { skipRiskAllowed } = ports.tradingSettings
  const levels: RiskReport['level'][] = skipRiskAllowed ? acknowledge.map((word) => acknowledged[word]) : []
  const { route } = execution
  const request = requestOf(execution)
  if (request === null || route === null) return levels
  const { level, reasons = [] } = await assessTrade(
    await readSwap(ports.chains, request.input),
    route,
    request.thresholds,
  )
  const word = Object.entries(acknowledged).find(([, named]) => named === level)?.[0]
  if (word === undefined || levels.includes(level)) return levels
  const now = `the risk is ${level} now. ${reasons.slice(0, mostRiskReasons).join(' ')}`.trim()
  if (skipRiskAllowed) throw invalid('acknowledge', `must have ${word}: ${now}`)
  throw call.fail('FAILED_PRECONDITION', `The trade waits on: ${now} On this chain such a risk cannot be accepted.`)
}

/** What was requested, with the exact amount; null where an earlier version stored nothing. */
function requestOf({ awaitedRequest, amountIn }: Execution): TradeRequest | null {
  if (awaitedRequest === null) return null
  const { quote_id: _quote, ...requested } = JSON.parse(awaitedRequest) as TradeRequest // `place` wrote it
  const exact = { amount_in: amountIn.toString(), amount_in_currency: 'base_units' } as const
  return { ...requested, input: { ...requested.input, ...exact } }
}

/** Trades what was claimed. Where it is refused, nothing of it is left. */
async function trade(
  ports: Pick<Ports, Needs>,
  execution: Execution,
  levels: readonly RiskReport['level'][],
  call: ConfirmCall,
): Promise<Answer> {
  const discard = async (failure: unknown): Promise<never> => {
    await ports.executions.discard(execution.id, 'It could not be traded when it was confirmed.')
    throw failure
  }
  const { sessionId, minimumOut } = execution
  const request = requestOf(execution)
  const session = sessionId === null ? null : await ports.sessions.find(sessionId).catch(discard)
  if (session === null || request === null)
    return await discard(call.fail('FAILED_PRECONDITION', 'The session that requested the trade was deleted.'))
  const swap = await readSwap(ports.chains, request.input).catch(discard)
  const order = { execution, request, swap, grant: session.grant, confirmed: { leastOut: minimumOut, levels } }
  return await make(ports, order, ports.clock.limit(ports.tradingSettings.timeoutMs), call.fail)
}
