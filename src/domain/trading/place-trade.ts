import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/operation.ts'
import { DomainError } from '../errors.ts'
import type { Chain, Leg } from '../ports/chains.ts'
import type { TradeReservation } from '../ports/outbox.ts'
import type { Execution, StoredQuote } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { quoteFor, type TradeRequest } from './bind-quote.ts'
import { sourcesOf } from './execution-state.ts'
import { formatUnits } from './money.ts'
import { minimumOut } from './price-impact.ts'
import { presentQuote, type QuotePorts } from './quote.ts'
import { overBudget } from './sender.ts'
import { lackOf, swapPatienceSeconds } from './simulate.ts'
import { readSwap, type Swap } from './swap.ts'
import { demandTrading, overCap, overDay, worthOf } from './trade-policy.ts'
import { tradeRisk } from './trade-risk.ts'

export type PlaceNeeds = QuotePorts | 'executions' | 'halts' | 'sender' | 'tradingSettings'
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
  const quote = await quoteFor(ports, execution.userId, request, asked)
  const swap = { ...asked, amountIn: quote.amountIn }
  const facts: Facts = { quote: presentQuote(quote, ports.chains) }
  const refuse = (status: 'rejected' | 'failed', message: string): Placed => ({
    refused: { status, message, ...facts },
  })

  const lacking = await lackOf(swap, execution.walletAddress)
  if (lacking !== null) return refuse('rejected', `Nothing was traded: ${lacking}`)
  const worth = await worthOf(swap, quote.expectedOut)
  const capped = overCap(ports.tradingSettings, worth)
  if (capped !== null) return refuse('rejected', capped)
  const risk = await tradeRisk(request, swap, quote)
  if (risk.report !== null) facts.risk = risk.report
  if (risk.refusal !== null) return refuse('rejected', risk.refusal)

  const plan = await planOf(chain, quote, execution)
  const tried = await chain.simulateSwap(plan, { fundOwner: true })
  if (!tried.ok) return refuse('failed', `Nothing was traded, because it would fail: ${tried.reason}. ${tried.advice}`)
  const legs = await chain.swapLegs(plan)
  const gasless = await lackOfGas(swap, execution, legs)
  if (gasless !== null) return refuse('rejected', gasless)

  const { amountIn, route, expectedOut } = quote
  const trial = { state: 'simulated', message: 'The trade was tried out and is about to be sent.' } as const
  const change = { ...trial, amountIn, route, expectedOut, minimumOut: plan.minimumOut, valueUsd: worth }
  await ports.executions.update(execution.id, sourcesOf('simulated'), { ...change, updatedAt: ports.clock.now() })
  const over = await send(ports, swap, quote, execution, legs)
  return over === null ? { facts } : refuse('rejected', over)
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

/** Claims the quote and sends the legs; answers why the daily cap forbids it, or null once it is sent. */
async function send(
  ports: Pick<Ports, PlaceNeeds>,
  { chain }: Swap,
  quote: StoredQuote,
  execution: Execution,
  legs: readonly Leg[],
): Promise<string | null> {
  if (!(await ports.executions.claimQuote(quote.id, execution.id))) {
    throw new DomainError(
      'FAILED_PRECONDITION',
      'This quote was traded already, and a quote is used once; ask for a new quote.',
    )
  }
  // Asked again: all the checks took their time, and an operator means at once.
  await demandTrading(ports, chain.info.id, execution.walletAddress)
  const at = ports.clock.now()
  const { maxDailyUsd } = ports.tradingSettings
  const budget = maxDailyUsd === null ? null : { since: new Date(at.getTime() - dayMs), limitUsd: maxDailyUsd }
  const reservation: TradeReservation = { executionId: execution.id, at, budget }
  try {
    await ports.sender.send({ chain, from: execution.walletAddress, reference: execution.id, legs, trade: reservation })
    return null
  } catch (failure) {
    const refusal = failure instanceof DomainError ? failure.details.metadata?.refusal : undefined
    if (refusal === overBudget && maxDailyUsd !== null) return overDay(maxDailyUsd)
    throw failure
  }
}

/** Says how much native currency the wallet has where that cannot pay for the gas, else null. */
async function lackOfGas({ chain }: Swap, { walletAddress }: Execution, legs: readonly Leg[]): Promise<string | null> {
  const [{ native }, { maxFeePerGas }] = await Promise.all([chain.balances(walletAddress, []), chain.fees()])
  const needed = legs.reduce((sum, { gas, call }) => sum + gas * maxFeePerGas + call.value, 0n)
  if (native >= needed) return null
  const say = (wei: bigint) => `${formatUnits(wei, 18)} ${chain.info.nativeSymbol}`
  return `Nothing was traded: the wallet holds ${say(native)}, and the gas may cost up to ${say(needed)}. Pay some in.`
}
