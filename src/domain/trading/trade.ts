import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError, type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Grant } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import type { Wallet } from '../ports/wallets.ts'
import { isAwaiting, isBeforeNonce, isDecided } from '../sending/execution-state.ts'
import { fingerprintOf, tradeFacts } from '../values/fingerprint.ts'
import { formatUnits } from '../values/money.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { isOverdue, notConfirmed } from './awaited.ts'
import type { ExecuteInput } from './evaluate-trade.ts'
import { type PlaceFail, type PlaceNeeds, place, type TradeToPlace } from './place-trade.ts'
import { decimalsOf, type PresentNeeds, presentExecution } from './present-execution.ts'
import { type SimulateNeeds, simulate, walletOf } from './simulate.ts'

/** Simulates a swap, or with `simulate_only` false and `confirm` true trades it, once for each idempotency key. */
export const execute: Handler<typeof contract.trading.execute, SimulateNeeds | TradeNeeds> = async (
  ports,
  input,
  call,
) => {
  const { principal } = call
  if (input.input.simulate_only !== false) return await simulate(ports, principal, input, call.fail)
  // The contract requires these already. They are checked again because a real trade depends on them.
  if (input.confirm !== true) throw invalid('confirm', 'must be true for a real trade')
  const { idempotency_key: key, wallet_ref: walletRef } = input
  if (walletRef === undefined) throw invalid('wallet_ref', 'needed for a real trade')
  if (key === undefined) throw invalid('idempotency_key', 'needed for a real trade')
  const request = { ...input, wallet_ref: walletRef, idempotency_key: key }
  const { answer, replayed } = await trade(ports, principal, request, call.fail)
  if (!replayed) return answer
  call.markReplayed()
  return { ...answer, replayed: true }
}

export type TradeNeeds = PlaceNeeds | PresentNeeds | 'hashing' | 'outbox' | 'wallets'
export type Answer = OutputOf<typeof contract.trading.execute>

/** A request for a real trade, which names its wallet and its key. */
export type TradeRequest = ExecuteInput & { wallet_ref: string; idempotency_key: string }

/** Who trades: the account, the session, and what that may do. */
type Trader = { userId: number; sessionId: string; grant: Grant | null }

export type TradeFail = PlaceFail & Fail<'ALREADY_EXISTS'>

/**
 * Trades once for the account's key. The same key with the same request returns the present state of that trade and
 * waits for it where it is still open; with another request it is ALREADY_EXISTS. A trade that ends before it has a nonce
 * frees its key.
 */
async function trade(
  ports: Pick<Ports, TradeNeeds>,
  trader: Trader,
  request: TradeRequest,
  fail: TradeFail,
): Promise<{ answer: Answer; replayed: boolean }> {
  // How a trade is confirmed is no part of what is traded.
  const { idempotency_key: key, confirmation_id: _yes, await_confirmation: _waits, ask_first: _asks, ...body } = request
  const fingerprint = fingerprintOf(ports.hashing, tradeFacts(body))
  const time = ports.clock.limit(ports.tradingSettings.timeoutMs)
  while (true) {
    let execution = await ports.executions.findByKey(trader.userId, key)
    if (execution !== null && isOverdue(execution, ports.clock.now())) {
      await ports.executions.discard(execution.id, notConfirmed)
      execution = null
    }
    if (execution === null) {
      const begun = await begin(ports, trader, request, fingerprint, fail)
      execution = begun.execution
      if (begun.created)
        return {
          answer: await make(
            ports,
            { execution, request, swap: begun.swap, grant: trader.grant, confirmed: null },
            time,
            fail,
          ),
          replayed: false,
        }
    }
    if (execution.fingerprint !== fingerprint)
      throw fail(
        'ALREADY_EXISTS',
        'This idempotency_key was used for another request. Choose a new key for a new trade.',
      )
    const joined = await outcome(ports, execution, time)
    // Where the other request was refused, its key is free: the loop then evaluates this request by itself.
    if (joined !== null && joined.state !== 'rejected') return { answer: await answerOf(ports, joined), replayed: true }
  }
}

/** Reserves the key, once the request is known to be valid. */
async function begin(
  ports: Pick<Ports, TradeNeeds>,
  { userId, sessionId }: Trader,
  request: TradeRequest,
  fingerprint: string,
  fail: TradeFail,
) {
  const swap = await readSwap(ports.chains, request.input)
  const wallet = await walletOf(ports, userId, request.wallet_ref, fail)
  const execution = { ...fresh(ports, request, swap, wallet, fingerprint), sessionId }
  const { confirmation_id: confirmation } = request
  const begun = await (confirmation === undefined
    ? ports.executions.begin(execution)
    : ports.executions.beginConfirmed(execution, confirmation))
  if (begun !== null) return { ...begun, swap }
  throw fail(
    'FAILED_PRECONDITION',
    'This confirmation began a trade already, and begins no other. Ask the person again.',
  )
}

/** Places the trade and waits for its block. A refusal, thrown or returned, leaves no execution behind. */
export async function make(
  ports: Pick<Ports, TradeNeeds>,
  order: TradeToPlace,
  time: AbortSignal,
  fail: PlaceFail,
): Promise<Answer> {
  const { execution } = order
  const placed = await place(ports, order, fail).catch(async (failure: unknown) => {
    // An execution that has a nonce is not discarded.
    await ports.executions.discard(execution.id, failure instanceof DomainError ? failure.message : 'it failed')
    throw failure
  })
  if ('notMade' in placed) {
    const { notMade } = placed
    // What is asked first is no decision, which the audit log would have.
    await ports.executions.discard(execution.id, notMade.status === 'simulated' ? undefined : notMade.message)
    return notMade
  }
  const settled = await outcome(ports, execution, time)
  return { ...(await answerOf(ports, settled ?? execution)), ...placed.facts }
}

/**
 * The execution once a block has decided it, or as it is when the time is over; null where it was refused and
 * discarded.
 */
async function outcome(ports: Pick<Ports, TradeNeeds>, execution: Execution, time: AbortSignal) {
  while (true) {
    const state = await ports.executions.state(execution.id)
    if (state === null || isDecided(state) || isAwaiting(state) || time.aborted)
      return await ports.executions.load(execution.id)
    await ports.executions.changed(execution.id, time)
  }
}

function fresh(
  ports: Pick<Ports, TradeNeeds>,
  request: TradeRequest,
  { chain, tokenIn, tokenOut, amountIn }: Swap,
  wallet: Wallet,
  fingerprint: string,
): Omit<Execution, 'sessionId'> {
  const now = ports.clock.now()
  return {
    id: ports.ids.uuid(),
    userId: wallet.userId,
    idempotencyKey: request.idempotency_key,
    fingerprint,
    chainId: chain.info.id,
    walletRef: wallet.ref,
    walletAddress: wallet.address,
    agent: request.agent,
    quoteId: request.quote_id ?? null,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    expectedOut: null,
    minimumOut: null,
    route: null,
    valueUsd: null,
    awaitedRequest: null,
    state: 'requested',
    step: 1,
    facts: null,
    basis: null,
    message: 'The trade is being checked.',
    transactionHash: null,
    amountOut: null,
    gasUsed: null,
    feeWei: null,
    blockNumber: null,
    filledAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

export async function answerOf(ports: Pick<Ports, TradeNeeds>, execution: Execution): Promise<Answer> {
  const shown = await presentExecution(ports, execution)
  const { tx_hash, explorer_url, minimum_out, fill } = shown
  const decimals = decimalsOf(ports.chains.find(execution.chainId), execution.tokenOut)
  const next =
    shown.awaits === undefined
      ? 'Read the execution by its execution_id, or watch it.'
      : `It is confirmed at ${shown.awaits.url} until ${shown.awaits.until}.`
  const pending = shown.status === 'pending' && !isBeforeNonce(execution.state)
  return {
    status: shown.status,
    message: pending ? `${shown.message} ${next}` : shown.message,
    execution_id: shown.execution_id,
    ...execution.facts,
    ...(tx_hash === undefined ? {} : { tx_hash }),
    ...(explorer_url === undefined ? {} : { explorer_url }),
    ...(execution.expectedOut === null ? {} : { expected_out: formatUnits(execution.expectedOut, decimals) }),
    ...(minimum_out === undefined ? {} : { minimum_out }),
    ...(shown.awaits === undefined ? {} : { confirm_url: shown.awaits.url }),
    ...(fill === undefined ? {} : { amount_out: fill.amount_out, gas_used: fill.gas_used }),
  }
}
