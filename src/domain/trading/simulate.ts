import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import type { Principal } from '../core/handler.ts'
import { ownWallet } from '../policies/wallet-policy.ts'
import type { Ports } from '../ports/index.ts'
import type { Wallet } from '../ports/wallets.ts'
import { formatUnits } from '../values/money.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { type FundedNeeds, whenFunded } from '../wallets/funding.ts'
import { mustBeConfirmed } from './awaited.ts'
import {
  type EvaluateFail,
  type EvaluateNeeds,
  type ExecuteInput,
  evaluateTrade,
  type Passed,
  type Refused,
} from './evaluate-trade.ts'
import { presentTransactions } from './transactions.ts'

export type SimulateNeeds = EvaluateNeeds | 'outbox' | 'wallets'
type Answer = OutputOf<typeof contract.trading.execute>

/**
 * Simulates a swap at the newest block, as the named wallet or as somebody who has the tokens. Nothing is sent. A trade
 * that only a policy or its risk refuses is simulated, and the message says why a real trade would be rejected.
 */
export async function simulate(
  ports: Pick<Ports, SimulateNeeds>,
  { userId, grant }: Pick<Principal, 'userId' | 'grant'>,
  request: ExecuteInput,
  fail: EvaluateFail,
): Promise<Answer> {
  const swap = await readSwap(ports.chains, request.input)
  const { wallet_ref: ref } = request
  const wallet = ref === undefined ? null : await walletOf(ports, userId, ref, fail)
  const evaluated = await evaluateTrade(ports, { userId, grant, request, swap, wallet: wallet?.address ?? null }, fail)
  const { simulation, refused } = evaluated
  const answer = answerOf(swap, evaluated)
  if (refused !== null && (simulation === null || refused.check === 'gas')) {
    const status = refused.check === 'swap' ? 'failed' : 'rejected'
    const message = `This trade would not be made. ${refused.reason}${lackingForTrade(request)}`
    return { status, message, ...answer }
  }
  if (simulation === null) throw new Error('A trade passed without a successful simulation.')
  const simulated = simulatedAnswer(swap, { ...evaluated, simulation })
  const unchecked = wallet === null ? ' Without wallet_ref, no balance was checked.' : ''
  const warning = refused === null ? '' : ` A real trade would be rejected. ${refused.reason}`
  return {
    ...simulated,
    message: `${simulated.message}${unchecked}${warning}${lackingForTrade(request)}`,
    ...(evaluated.refused === null ? wouldBe(request, grant, swap, evaluated) : {}),
  }
}

type Evaluated = Passed | Refused

/** What is known of a swap before it is simulated. */
function answerOf({ tokenOut }: Swap, { shown, report, minimumOut }: Evaluated) {
  return {
    quote: shown,
    expected_out: shown.expected_out,
    minimum_out: formatUnits(minimumOut, tokenOut.decimals),
    ...(report === null ? {} : { risk: report }),
  }
}

/** A swap that succeeded in its simulation. */
export function simulatedAnswer(swap: Swap, evaluated: Evaluated & Pick<Passed, 'simulation'>): Answer {
  const { tokenIn, tokenOut } = swap
  const { block, amountOut, gas } = evaluated.simulation
  const out = formatUnits(amountOut, tokenOut.decimals)
  const sold = `${formatUnits(evaluated.quote.amountIn, tokenIn.decimals)} ${tokenIn.symbol}`
  return {
    status: 'simulated',
    message: `Simulated at block ${block.number}: ${sold} would yield ${out} ${tokenOut.symbol}. Nothing was sent.`,
    ...answerOf(swap, evaluated),
    expected_out: out,
    gas_used: gas.toString(),
  }
}

/** What a trade that passed would be: its transactions, and whether it would wait for the account. */
function wouldBe(request: ExecuteInput, grant: Principal['grant'], swap: Swap, { plan, legs, policyTrade }: Passed) {
  return {
    transactions: presentTransactions(swap, plan, legs),
    ...(mustBeConfirmed(request, grant, policyTrade.valueUsd) ? { confirmation_needed: true } : {}),
  }
}

/** For a caller who confirms a trade without asking for one: names the fields that a real trade lacks. */
function lackingForTrade({ input, confirm, wallet_ref: ref, idempotency_key: key }: ExecuteInput): string {
  if (confirm !== true || input.simulate_only !== undefined) return ''
  const others = [ref === undefined ? 'wallet_ref' : '', key === undefined ? 'idempotency_key' : ''].filter(Boolean)
  const more = others.length === 0 ? '' : `, and ${others.join(' and ')}`
  return ` For a real trade, send input.simulate_only as false${more}.`
}

/** The account's wallet of that name, once its starting money has arrived. */
export async function walletOf(
  ports: Pick<Ports, FundedNeeds>,
  userId: number,
  ref: string,
  fail: Fail<'NOT_FOUND'>,
): Promise<Wallet> {
  return await whenFunded(ports, await ownWallet(ports, userId, ref, fail))
}
