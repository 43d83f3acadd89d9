import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import { demandTrading, forbiddenAlone, forbiddenBy, judgedTrade, type PolicyTrade } from '../policies/trade-policy.ts'
import type { Chain, Leg } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { PolicyFacts, TradeReservation } from '../ports/trade-policy.ts'
import type { Execution, StoredQuote } from '../ports/trades.ts'
import { quoteFor, type TradeRequest } from '../quoting/bind-quote.ts'
import { presentQuote, type QuotePorts } from '../quoting/quote.ts'
import { moveOf } from '../sending/execution-state.ts'
import { minimumOut } from '../values/price-impact.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { swapPatienceSeconds } from './simulate.ts'
import { tradeRisk } from './trade-risk.ts'
import { lackOf, lackOfGas } from './wallet-lacks.ts'

export type PlaceNeeds = QuotePorts | 'executions' | 'halts' | 'sender'
type Answer = OutputOf<typeof contract.trading.execute>
type Facts = Pick<Answer, 'quote' | 'risk'>

/** A trade that is on its way, or the answer that refuses it; nothing was sent for one that was refused. */
export type Placed = { facts: Facts } | { refused: Answer }

const dayMs = 86_400_000

/** Checks a trade, tries it out, and hands it to the sender. Throws or refuses before the nonce; never after it. */
export async function place(
  ports: Pick<Ports, PlaceNeeds>,
  execution: Execution,
  request: TradeRequest,
): Promise<Placed> {
  const asked = await readSwap(ports.chains, request.input)
  const { chain } = asked
  await demandTrading(ports, chain.info.id, execution.walletAddress)
  if (request.skip_risk && !ports.tradingSettings.skipRiskAllowed)
    throw new DomainError(
      'PERMISSION_DENIED',
      'The risk checks cannot be left out on this chain; send skip_risk false.',
    )
  const quote = await quoteFor(ports, execution.userId, request, asked, execution.walletAddress)
  const swap = { ...asked, amountIn: quote.amountIn }
  const facts: Facts = { quote: presentQuote(quote, ports.chains) }
  const refuse = (status: 'rejected' | 'failed', message: string): Placed => ({
    refused: { status, message, ...facts },
  })

  const lacking = await lackOf(swap, execution.walletAddress)
  if (lacking !== null) return refuse('rejected', `Nothing was traded: ${lacking}`)
  const judged = await judgedTrade(swap, quote)
  // Asked of the trade alone here, to say it soon; what binds is asked again where the nonce is reserved.
  const barred = await forbiddenAlone(ports, judged, execution.walletAddress)
  if (barred !== null) return refuse('rejected', barred)
  const risk = await tradeRisk(request, swap, quote)
  if (risk.report !== null) facts.risk = risk.report
  if (risk.refusal !== null) return refuse('rejected', risk.refusal)

  const plan = await planOf(chain, quote, execution)
  const tried = await chain.simulateSwap(plan, { fundOwner: true })
  if (!tried.ok) return refuse('failed', `Nothing was traded, because it would fail: ${tried.reason}. ${tried.advice}`)
  const legs = await chain.swapLegs(plan)
  const gasless = await lackOfGas(swap, execution.walletAddress, legs)
  if (gasless !== null) return refuse('rejected', `Nothing was traded: ${gasless}`)

  // Kept before anything can leave, so that a replay tells the same whatever dies.
  await ports.executions.keepFacts(execution.id, facts)
  const { amountIn, route, expectedOut } = quote
  const message = 'The trade was tried out and is about to be sent.'
  const found = { amountIn, route, expectedOut, minimumOut: plan.minimumOut, valueUsd: judged.valueUsd, message }
  const change = { ...found, updatedAt: ports.clock.now() }
  if ((await ports.executions.move(execution, moveOf('requested', 'simulated'), change)) === null) throw givenUp()
  const forbidden = await send(ports, swap, quote, execution, { legs, deadline: plan.deadline, judged })
  return forbidden === null ? { facts } : refuse('rejected', forbidden)
}

function givenUp(): DomainError {
  return new DomainError('FAILED_PRECONDITION', 'The trade was given up; send it again.')
}

function quoteUsed(): DomainError {
  return new DomainError(
    'FAILED_PRECONDITION',
    'This quote was traded already, and a quote is used once; ask for a new quote.',
  )
}

async function planOf(chain: Chain, quote: StoredQuote, execution: Execution) {
  const { timestamp } = await chain.head()
  return {
    route: quote.route,
    owner: execution.walletAddress,
    amountIn: quote.amountIn,
    minimumOut: minimumOut(quote.expectedOut, quote.slippageBps),
    deadline: timestamp + swapPatienceSeconds,
  }
}

type Prepared = { legs: readonly Leg[]; deadline: bigint; judged: PolicyTrade }

/** Sends the legs, which uses the quote up; answers which safeguard forbids it, or null once it is sent. */
async function send(
  ports: Pick<Ports, PlaceNeeds>,
  { chain }: Swap,
  quote: StoredQuote,
  execution: Execution,
  { legs, deadline, judged }: Prepared,
): Promise<string | null> {
  // Asked again: all the checks took their time, and an operator means at once.
  await demandTrading(ports, chain.info.id, execution.walletAddress)
  const at = ports.clock.now()
  const forbids = (facts: PolicyFacts) => {
    if (facts.quoteUsed) throw quoteUsed()
    return forbiddenBy(judged, ports.tradingSettings, facts)
  }
  const { walletAddress: from, id: executionId } = execution
  const since = new Date(at.getTime() - dayMs)
  const trade: TradeReservation = { executionId, quoteId: quote.id, at, since, forbids }
  return await ports.sender.sendTrade({ chain, from, legs, deadline, trade })
}
