import { bookFill } from '../books/book-fill.ts'
import { RepeatLater } from '../core/errors.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Execution, ExecutionChange, ExecutionStep } from '../ports/trades.ts'
import { isDone, uncancellableMessage } from '../sending/advance.ts'
import { standingApproval } from '../sending/attempts.ts'
import { isBeforeNonce, isMined, moveOf, pathTo } from '../sending/execution-state.ts'
import { whyReverted } from '../sending/why-reverted.ts'
import { amountText } from '../values/tokens.ts'
import { priceMovedSince } from './price-moved.ts'
import { progress } from './progress.ts'

type Needs = Pick<Ports, 'clock' | 'executions' | 'ledger' | 'outbox'>
type Fields = Omit<ExecutionChange, 'updatedAt'>

/**
 * Updates the execution to the state of its transactions: stores each move, books the mined result, and takes it out of
 * the books again when the blocks changed since.
 */
export async function followTrade(ports: Needs, chain: Chain, executionId: string, legs: readonly Outgoing[]) {
  const stored = await ports.executions.load(executionId)
  if (stored === null || legs.length === 0 || isBeforeNonce(stored.state)) return
  const basis = basisOf(legs)
  const execution = stored.basis === null || stored.basis === basis ? stored : await takeBack(ports, stored)
  const hash = legs.find(({ kind }) => kind === 'swap')?.hash ?? null
  if (basis === null) {
    const waiting = openTransaction(legs)
    if (waiting !== null)
      await moveTo(ports, execution, waiting.state, { transactionHash: hash, message: messageOf(waiting) })
  } else if (legs.every(({ state }) => state === 'failed')) {
    await moveTo(ports, execution, 'failed', {
      transactionHash: hash,
      message: await whyFailed(ports, chain, execution, legs),
    })
  } else {
    const decided = isMined(execution.state) ? execution : await bookResult(ports, chain, execution, legs, basis)
    const { message } = decided
    await moveTo(ports, decided, lowestFinality(legs), { message })
  }
}

/** The mined transactions and their blocks in one text; null while one of them waits. Empty where nothing is mined. */
function basisOf(legs: readonly Outgoing[]): string | null {
  if (!legs.every(isDone)) return null
  return legs.map(({ hash, blockHash }) => (blockHash === null ? '' : `${hash}@${blockHash}`)).join(' ')
}

/** Takes the trade out of the books, then back in state (T5). */
async function takeBack(ports: Needs, execution: Execution): Promise<Execution> {
  await ports.ledger.unbook(execution.id)
  const nothing = { basis: null, amountOut: null, gasUsed: null, feeWei: null, blockNumber: null, filledAt: null }
  return await moveTo(ports, execution, 'reorganised', { ...nothing, message: progress.reorganised })
}

type Reported = Exclude<keyof typeof progress, 'simulated'>

/** The open transaction that the trade reports: its swap, or else the first that is open. */
function openTransaction(legs: readonly Outgoing[]): Outgoing | null {
  const waiting = legs.filter((leg) => !isDone(leg))
  return waiting.find(({ kind }) => kind === 'swap') ?? waiting[0] ?? null
}

function messageOf({ state, error, uncancellable }: Outgoing): string {
  return [progress[state], error ?? [], uncancellable === null ? [] : uncancellableMessage(uncancellable)]
    .flat()
    .join(' ')
}

/** The lowest finality of its blocks. */
function lowestFinality(legs: readonly Outgoing[]): 'included' | 'safe' | 'finalized' {
  const order = ['included', 'safe', 'finalized'] as const
  return order.find((state) => legs.some((leg) => leg.state === state)) ?? 'finalized'
}

/**
 * Stores the moves to the state, the last one with the fields. In that state already, it stores only the message.
 */
async function moveTo(ports: Needs, execution: Execution, to: Reported, fields: Fields): Promise<Execution> {
  const raised = to === 'replaced' && fields.transactionHash !== execution.transactionHash
  if (execution.state === to && !raised) return await explain(ports, execution, fields.message ?? execution.message)
  const path = (pathTo(execution.state, to) ?? []) as readonly Reported[]
  if (path.length === 0) return execution
  const { transactionHash = execution.transactionHash } = fields
  const steps = path.map((state, index): ExecutionStep => {
    const message = execution.basis === null ? progress[state] : execution.message
    const changes = index === path.length - 1 ? fields : { transactionHash, message }
    const move = moveOf(path[index - 1] ?? execution.state, state)
    return { move, change: { ...changes, updatedAt: ports.clock.now() } }
  })
  const moved = await ports.executions.move(execution, steps)
  if (moved === null) throw new RepeatLater('Another process changed this trade first.')
  return moved
}

async function explain({ executions }: Needs, execution: Execution, message: string): Promise<Execution> {
  if (message !== execution.message) await executions.explain(execution, message)
  return { ...execution, message }
}

/** Reads the mined result of the trade, books it, and stores it in the execution. */
async function bookResult(
  ports: Needs,
  chain: Chain,
  execution: Execution,
  legs: readonly Outgoing[],
  basis: string,
): Promise<Execution> {
  const mined = await receiptsOf(chain, legs)
  const leg = legs.find(({ kind }) => kind === 'swap')
  const swap = mined.find(({ hash }) => hash === leg?.hash) ?? null
  const { route, walletAddress, id } = execution
  const filled =
    swap !== null && leg?.outcome === 'success' && route !== null ? chain.fillOf(swap, route, walletAddress) : null
  const receipt = swap ?? mined[0] ?? null
  const transactionHash = receipt?.hash ?? null
  if (receipt !== null) {
    const feeWei = mined.reduce((sum, receipt) => sum + receipt.feeWei, 0n)
    const result = { filled, feeWei, transactionHash: receipt.hash, block: receipt.blockNumber }
    const book = async () => await bookFill(ports, chain, execution, result)
    // A process may have died after it booked it, perhaps by other blocks than these.
    if (!(await book()) && (await ports.ledger.unbook(id))) await book()
  }
  if (filled === null) await revokeApproval(ports, chain, id, legs)
  const facts =
    swap === null
      ? { basis, transactionHash }
      : { basis, transactionHash, gasUsed: swap.gasUsed, feeWei: swap.feeWei, blockNumber: swap.blockNumber }
  const outcome =
    filled === null
      ? { message: await whyFailed(ports, chain, execution, legs) }
      : { amountOut: filled.amountOut, filledAt: ports.clock.now(), message: swapped(chain, execution, filled) }
  return await moveTo(ports, execution, 'included', { ...facts, ...outcome })
}

async function receiptsOf(chain: Chain, legs: readonly Outgoing[]) {
  const hashes = legs.flatMap(({ state, hash }) => (isMined(state) && hash !== null ? [hash] : []))
  const receipts = (await Promise.all(hashes.map((hash) => chain.receipt(hash)))).filter((found) => found !== null)
  // This node may lag behind the one that returned the receipt, so a missing receipt decides nothing.
  if (receipts.length < hashes.length)
    throw new RepeatLater(
      'The node no longer returns a receipt that it returned before. It is read again at the next block.',
    )
  return receipts
}

/**
 * Revokes the allowance of a trade that swapped nothing. The revocation has no deadline: past one its nonce would have to be
 * cancelled, and the allowance would stay.
 */
async function revokeApproval(ports: Needs, chain: Chain, executionId: string, legs: readonly Outgoing[]) {
  const approval = standingApproval(legs)
  if (approval === null) return
  const { from, call, gas } = approval
  const floor = await chain.nonce(from, 'pending')
  const revoking = [{ kind: 'revoke', call: chain.revocation(call), gas }] as const
  await ports.outbox.reserve({
    chainId: chain.info.id,
    from,
    reference: { kind: 'revoke', id: executionId },
    legs: revoking,
    floor,
  })
}

async function whyFailed(
  { clock }: Needs,
  chain: Chain,
  execution: Execution,
  legs: readonly Outgoing[],
): Promise<string> {
  const reverted = legs.find(({ outcome }) => outcome === 'reverted')
  if (reverted?.hash != null) {
    const { reason, advice, belowMinimum } = await whyReverted(clock, chain, reverted.hash)
    const moved = belowMinimum ? await priceMovedSince(clock, chain, execution) : null
    return `The ${reverted.kind === 'swap' ? 'swap' : 'approval'} was mined and reverted: ${reason}. ${moved ?? advice}`
  }
  const error = legs.find((leg) => leg.error !== null)?.error ?? 'The transaction was not mined.'
  return `Nothing was traded. ${error} Send the trade again with a new idempotency_key.`
}

function swapped(chain: Chain, execution: Execution, filled: { amountIn: bigint; amountOut: bigint }): string {
  const say = (token: Hex, amount: bigint) => amountText(chain, token, amount)
  return `Swapped ${say(execution.tokenIn, filled.amountIn)} for ${say(execution.tokenOut, filled.amountOut)}.`
}
