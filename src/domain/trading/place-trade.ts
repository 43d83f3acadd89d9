import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type ReconcileNeeds, reconcileBefore } from '../books/reconcile.ts'
import type { Fail } from '../core/errors.ts'
import { capMs, forbiddenBy, refuseHalted, requireTrading } from '../policies/trade-policy.ts'
import type { Grant } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import type { ReserveRefusal } from '../ports/outbox.ts'
import type { PolicyFacts, TradeReservation } from '../ports/trade-policy.ts'
import type { Execution, WaitingFull } from '../ports/trades.ts'
import { moveOf } from '../sending/execution-state.ts'
import type { Swap } from '../values/swap.ts'
import { confirmMs, mustBeConfirmed } from './awaited.ts'
import {
  assessTrade,
  type Confirmed,
  type EvaluateFail,
  type EvaluateNeeds,
  type ExecuteInput,
  evaluateTrade,
  type Passed,
  type Refused,
} from './evaluate-trade.ts'
import { progress } from './progress.ts'
import { simulatedAnswer } from './simulate.ts'

export type PlaceNeeds = EvaluateNeeds | ReconcileNeeds | 'executions' | 'halts' | 'sender'
type Answer = OutputOf<typeof contract.trading.execute>
type ShownFacts = Pick<Answer, 'quote' | 'risk'>

/** The codes that placing a trade can fail with. */
export type PlaceFail = EvaluateFail & Fail<'UNAVAILABLE' | 'RATE_LIMITED'>

/** A trade that is on its way, or the answer to one that was refused or is to be asked for first, of which nothing was sent. */
type Placed = { facts: ShownFacts } | { notMade: Answer }

/**
 * A trade with its execution, and what the session that requests it may do. `confirmed` once the account confirmed it.
 */
export type TradeToPlace = {
  execution: Execution
  request: ExecuteInput
  swap: Swap
  grant: Grant | null
  confirmed: Confirmed | null
}

/** Evaluates a trade and hands it to the sender. Refusals and errors come before the nonce, never after it. */
export async function place(
  ports: Pick<Ports, PlaceNeeds>,
  { execution, request, swap, grant, confirmed }: TradeToPlace,
  fail: PlaceFail,
): Promise<Placed> {
  const { userId, walletAddress: wallet, chainId } = execution
  // Early, to spare the work. A halt binds where the nonce is reserved, and the sender reads it before each send.
  await requireTrading(ports, chainId, wallet, fail)
  const evaluated = await evaluateTrade(ports, { userId, grant, request, swap, wallet, confirmed }, fail)
  const { shown: quote, report } = evaluated
  const facts: ShownFacts = { quote, ...(report === null ? {} : { risk: report }) }
  if (evaluated.refused !== null) return { notMade: { ...refusalOf(evaluated), ...facts } }

  const { amountIn, route, expectedOut } = evaluated.quote
  const change = {
    // Stored before anything can leave the process, so that a replay returns the same whatever happens after.
    facts,
    amountIn,
    route,
    expectedOut,
    minimumOut: evaluated.minimumOut,
    valueUsd: evaluated.policyTrade.valueUsd,
    message: progress.simulated,
    updatedAt: ports.clock.now(),
  }
  if (confirmed === null && mustBeConfirmed(request, grant, change.valueUsd)) {
    // The account sees the whole risk, also of what was requested without it.
    const risk = request.skip_risk ? await assessTrade({ ...swap, amountIn }, route, request.thresholds) : report
    const shown: ShownFacts = { quote, ...(risk === null ? {} : { risk }) }
    const message = progress.awaiting_confirmation
    const waits = { ...change, facts: shown, message, awaitedRequest: JSON.stringify(request) }
    const move = moveOf('requested', 'awaiting_confirmation')
    const after = new Date(waits.updatedAt.getTime() - confirmMs)
    const waiting = await ports.executions.wait(execution, { move, change: waits }, after)
    if (waiting === null) throw fail('FAILED_PRECONDITION', discarded)
    if ('full' in waiting) throw tooManyWait(waiting, waits.updatedAt, fail)
    return { facts: shown }
  }
  if (confirmed === null && request.ask_first === true) return { notMade: simulatedAnswer(swap, evaluated) }
  await reconcileBefore(ports, swap.chain, execution, { token: swap.tokenIn.address, amount: amountIn })
  const moved = await ports.executions.move(execution, [{ move: moveOf('requested', 'simulated'), change }])
  const refusal = moved === null ? 'gone' : await send(ports, { execution, swap, grant }, evaluated, fail)
  if (refusal === null) return { facts }
  if (typeof refusal === 'string') throw fail('FAILED_PRECONDITION', discarded)
  return { notMade: { status: 'rejected', message: `Nothing was traded. ${refusal.forbidden}`, ...facts } }
}

function tooManyWait({ full, since }: WaitingFull, now: Date, fail: PlaceFail): Error {
  const most = bounds.waitingTrades[full]
  const retryAfterSeconds = Math.max(1, Math.ceil((since.getTime() + confirmMs - now.getTime()) / 1_000))
  const message = `The ${full} has ${most} trades that wait for the account, the most it may have. The account decides on one, or the oldest ends in ${retryAfterSeconds} s; then try again.`
  return fail('RATE_LIMITED', message, { retryAfterSeconds, metadata: { limit: String(most) } })
}

const discarded = 'The trade was discarded before it was sent. Send it again.'

function refusalOf({ refused: { check, reason } }: Refused): { status: 'rejected' | 'failed'; message: string } {
  return { status: check === 'swap' ? 'failed' : 'rejected', message: `Nothing was traded. ${reason}` }
}

/** Sends the transactions, which uses the quote. Returns why they were refused, or null once they are sent. */
async function send(
  ports: Pick<Ports, PlaceNeeds>,
  {
    execution: { id: executionId, walletAddress: from },
    swap: { chain },
    grant,
  }: Pick<TradeToPlace, 'execution' | 'swap' | 'grant'>,
  { quote, plan, legs, policyTrade }: Passed,
  fail: PlaceFail,
): Promise<ReserveRefusal | null> {
  const at = ports.clock.now()
  const forbids = (facts: PolicyFacts) => {
    if (facts.quoteUsed)
      throw fail('FAILED_PRECONDITION', 'This quote was traded already, and a quote is used once. Request a new quote.')
    refuseHalted(facts.halt, fail)
    return forbiddenBy(policyTrade, ports.tradingSettings, facts, grant)
  }
  const since = new Date(at.getTime() - capMs)
  const message = progress.reserved
  const trade: TradeReservation = { executionId, quoteId: quote.id, message, at, since, forbids }
  return await ports.sender.sendTrade({ chain, from, legs, deadline: plan.deadline, trade })
}
