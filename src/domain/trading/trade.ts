import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import type { Wallet } from '../ports/wallets.ts'
import type { TradeRequest } from '../quoting/bind-quote.ts'
import { isBeforeNonce, isDecided } from '../sending/execution-state.ts'
import { fingerprintOf, tradeFacts } from '../values/fingerprint.ts'
import { formatUnits } from '../values/money.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { type PlaceNeeds, place } from './place-trade.ts'
import { decimalsOf, presentExecution } from './present-execution.ts'
import { walletOf } from './simulate.ts'

export type TradeNeeds = PlaceNeeds | 'hashing' | 'outbox' | 'wallets'
type Answer = OutputOf<typeof contract.trading.execute>

/** Longest wait for the block before the answer is `pending`. */
const patienceMs = 30_000

/**
 * Makes a real trade once for the account's key. The same key and request again is answered with the present state of
 * that trade, one under way is joined, and another request is ALREADY_EXISTS. Whatever stops the trade before it has a
 * nonce gives the key back.
 */
export async function trade(
  ports: Pick<Ports, TradeNeeds>,
  userId: number,
  request: TradeRequest,
): Promise<{ answer: Answer; replayed: boolean }> {
  const { idempotency_key: key, ...body } = request
  const fingerprint = fingerprintOf(ports.hashing, tradeFacts(body))
  const patience = timeLimit(patienceMs)
  while (true) {
    const known = await ports.executions.findByKey(userId, key)
    const begun =
      known === null ? await begin(ports, userId, request, fingerprint) : { execution: known, created: false }
    const { execution } = begun
    if (begun.created) return { answer: await make(ports, execution, request, patience), replayed: false }
    if (execution.fingerprint !== fingerprint) {
      throw new DomainError(
        'ALREADY_EXISTS',
        'This idempotency_key was used for another request; choose a new key for a new trade.',
      )
    }
    const joined = await outcome(ports, execution, patience)
    // Where the one joined was refused, its key is free: this request is then judged by itself, and refused alike.
    if (joined !== null) return { answer: answerOf(ports, joined), replayed: true }
  }
}

/** Takes the key for a request that makes sense. */
async function begin(ports: Pick<Ports, TradeNeeds>, userId: number, request: TradeRequest, fingerprint: string) {
  const swap = await readSwap(ports.chains, request.input)
  const wallet = await walletOf(ports, userId, request.wallet_ref)
  return await ports.executions.begin(fresh(ports, request, swap, wallet, fingerprint))
}

/** Places the trade and waits for its block. A refusal, thrown or answered, leaves no execution behind. */
async function make(
  ports: Pick<Ports, TradeNeeds>,
  execution: Execution,
  request: TradeRequest,
  patience: AbortSignal,
): Promise<Answer> {
  const placed = await place(ports, execution, request).catch(async (failure: unknown) => {
    // It leaves alone what has a nonce.
    await ports.executions.discard(execution.id, failure instanceof DomainError ? failure.message : 'it failed')
    throw failure
  })
  if ('refused' in placed) {
    await ports.executions.discard(execution.id, placed.refused.message)
    return placed.refused
  }
  const settled = await outcome(ports, execution, patience)
  return { ...answerOf(ports, settled ?? execution), ...placed.facts }
}

/** The execution once a block has decided it, or as it is when patience ends; null where it was refused and is gone. */
async function outcome(ports: Pick<Ports, TradeNeeds>, execution: Execution, patience: AbortSignal) {
  while (true) {
    const present = await ports.executions.load(execution.id)
    if (present === null || isDecided(present.state) || patience.aborted) return present
    await ports.executions.changed(execution.id, patience)
  }
}

function fresh(
  ports: Pick<Ports, TradeNeeds>,
  request: TradeRequest,
  { chain, tokenIn, tokenOut, amountIn }: Swap,
  wallet: Wallet,
  fingerprint: string,
): Execution {
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
    createdAt: now,
    updatedAt: now,
  }
}

function answerOf(ports: Pick<Ports, TradeNeeds>, execution: Execution): Answer {
  const shown = presentExecution(ports, execution)
  const { tx_hash, explorer_url, minimum_out, fill } = shown
  const decimals = decimalsOf(ports.chains.find(execution.chainId), execution.tokenOut)
  const pending = shown.status === 'pending' && !isBeforeNonce(execution.state)
  return {
    status: shown.status,
    message: pending ? `${shown.message} Ask for the execution by its execution_id, or watch it.` : shown.message,
    execution_id: shown.execution_id,
    ...execution.facts,
    ...(tx_hash === undefined ? {} : { tx_hash }),
    ...(explorer_url === undefined ? {} : { explorer_url }),
    ...(execution.expectedOut === null ? {} : { expected_out: formatUnits(execution.expectedOut, decimals) }),
    ...(minimum_out === undefined ? {} : { minimum_out }),
    ...(fill === undefined ? {} : { amount_out: fill.amount_out, gas_used: fill.gas_used }),
  }
}
