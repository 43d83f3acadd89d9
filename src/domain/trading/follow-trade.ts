import { bookFill } from '../books/book-fill.ts'
import { DomainError } from '../core/errors.ts'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Execution, ExecutionChange, ExecutionState } from '../ports/trades.ts'
import { isDone, stillOpen } from '../sending/advance.ts'
import { standingApproval } from '../sending/attempts.ts'
import { isBeforeNonce, isMined, moveOf, wayTo } from '../sending/execution-state.ts'
import { whyReverted } from '../sending/why-reverted.ts'
import { formatUnits } from '../values/money.ts'
import { knownToken } from '../values/tokens.ts'

type Needs = Pick<Ports, 'clock' | 'executions' | 'ledger' | 'outbox'>
type Fields = Omit<ExecutionChange, 'updatedAt'>

/**
 * Keeps the execution in step with its transactions: tells each move, books what the blocks decided, and takes it out of
 * the books again where they decided otherwise since.
 */
export async function followTrade(ports: Needs, chain: Chain, executionId: string, legs: readonly Outgoing[]) {
  const stored = await ports.executions.load(executionId)
  if (stored === null || legs.length === 0 || isBeforeNonce(stored.state)) return
  const basis = basisOf(legs)
  const execution = stored.basis === null || stored.basis === basis ? stored : await takeBack(ports, stored)
  const hash = legs.find(({ kind }) => kind === 'swap')?.hash ?? null
  if (basis === null) {
    const waiting = waitingLeg(legs)
    if (waiting !== null) await walk(ports, execution, waiting.state, { transactionHash: hash, message: told(waiting) })
  } else if (legs.every(({ state }) => state === 'failed')) {
    await walk(ports, execution, 'failed', { transactionHash: hash, message: await whyFailed(chain, legs) })
  } else {
    const decided = isMined(execution.state) ? execution : await decide(ports, chain, execution, legs, basis)
    const { message } = decided
    await walk(ports, decided, firmnessOf(legs), { message })
  }
}

/** The mined transactions and their blocks in one text; null while one of them waits. Empty where nothing is mined. */
export function basisOf(legs: readonly Outgoing[]): string | null {
  if (!legs.every(isDone)) return null
  return legs.map(({ hash, blockHash }) => (blockHash === null ? '' : `${hash}@${blockHash}`)).join(' ')
}

/** What it came to is no longer so: out of the books, then back in state. */
async function takeBack(ports: Needs, execution: Execution): Promise<Execution> {
  await ports.ledger.unbook(execution.id)
  const nothing = { basis: null, amountOut: null, gasUsed: null, feeWei: null, blockNumber: null }
  return await walk(ports, execution, 'reorganised', { ...nothing, message: progress.reorganised })
}

const progress = {
  reserved: 'The trade has its place in line and is about to be signed.',
  signed: 'The transaction is signed and about to be sent.',
  broadcast: 'The transaction was sent and waits for its block.',
  replaced: 'The transaction was sent again with a higher fee, or is being taken back, and waits for its block.',
  included: 'A block holds the transaction.',
  safe: 'The block of the transaction is safe.',
  finalized: 'The block of the transaction is final.',
  reorganised: 'The block of the transaction left the chain; it is sent again while it is valid.',
  failed: 'Nothing was traded.',
} as const satisfies Partial<Record<ExecutionState, string>>

type Told = keyof typeof progress

/** What tells how far the trade is while it waits: its swap, or what is left of it. */
function waitingLeg(legs: readonly Outgoing[]): Outgoing | null {
  const waiting = legs.filter((leg) => !isDone(leg))
  return waiting.find(({ kind }) => kind === 'swap') ?? waiting[0] ?? null
}

function told({ state, error, uncancellable }: Outgoing): string {
  return [progress[state], error ?? [], uncancellable === null ? [] : stillOpen(uncancellable)].flat().join(' ')
}

/** No firmer than the least firm of its blocks. */
function firmnessOf(legs: readonly Outgoing[]): 'included' | 'safe' | 'finalized' {
  const order = ['included', 'safe', 'finalized'] as const
  return order.find((state) => legs.some((leg) => leg.state === state)) ?? 'finalized'
}

/**
 * Makes the moves that lead to the state, the last one with the fields; none where it is there or cannot get there, and
 * then no more than the message is kept.
 */
async function walk(ports: Needs, execution: Execution, to: Told, fields: Fields): Promise<Execution> {
  const dearer = to === 'replaced' && fields.transactionHash !== execution.transactionHash
  if (execution.state === to && !dearer) return await explain(ports, execution, fields.message ?? execution.message)
  const way = (wayTo(execution.state, to) ?? []) as readonly Told[]
  let present = execution
  for (const [index, state] of way.entries()) {
    const { transactionHash = present.transactionHash } = fields
    const message = present.basis === null ? progress[state] : present.message
    const told = index === way.length - 1 ? fields : { transactionHash, message }
    const change = { ...told, updatedAt: ports.clock.now() }
    const moved = await ports.executions.move(present, moveOf(present.state, state), change)
    if (moved === null) throw new DomainError('UNAVAILABLE', 'Another process is following this trade.')
    present = moved
  }
  return present
}

async function explain({ executions }: Needs, execution: Execution, message: string): Promise<Execution> {
  if (message !== execution.message) await executions.explain(execution, message)
  return { ...execution, message }
}

/** Reads what the blocks made of the trade, books it, and tells it. */
async function decide(
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
  const transactionHash = swap?.hash ?? mined[0]?.hash ?? null
  if (transactionHash !== null) {
    const feeWei = mined.reduce((sum, receipt) => sum + receipt.feeWei, 0n)
    // A process may have died after it booked other blocks than these.
    await ports.ledger.unbook(id)
    await bookFill(ports, chain, execution, { filled, feeWei, transactionHash })
  }
  if (filled === null) await takeApprovalBack(ports, chain, id, legs)
  const facts =
    swap === null
      ? { basis, transactionHash }
      : { basis, transactionHash, gasUsed: swap.gasUsed, feeWei: swap.feeWei, blockNumber: swap.blockNumber }
  const outcome =
    filled === null
      ? { message: await whyFailed(chain, legs) }
      : { amountOut: filled.amountOut, message: swapped(chain, execution, filled) }
  return await walk(ports, execution, 'included', { ...facts, ...outcome })
}

async function receiptsOf(chain: Chain, legs: readonly Outgoing[]) {
  const hashes = legs.flatMap(({ state, hash }) => (isMined(state) && hash !== null ? [hash] : []))
  const receipts = (await Promise.all(hashes.map((hash) => chain.receipt(hash)))).filter((found) => found !== null)
  // A node that lags behind the one that told of the receipt: nothing is decided on its silence.
  if (receipts.length < hashes.length)
    throw new DomainError('UNAVAILABLE', 'A receipt that was there is not there now; it is read again.')
  return receipts
}

/**
 * A trade that did not come about leaves no allowance behind. The revocation has no deadline: past one its nonce would have
 * to be filled all the same, and the allowance would stand.
 */
async function takeApprovalBack(ports: Needs, chain: Chain, executionId: string, legs: readonly Outgoing[]) {
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

async function whyFailed(chain: Chain, legs: readonly Outgoing[]): Promise<string> {
  const reverted = legs.find(({ outcome }) => outcome === 'reverted')
  if (reverted?.hash != null) {
    const { reason, advice } = await whyReverted(chain, reverted.hash)
    return `The ${reverted.kind === 'swap' ? 'swap' : 'approval'} was mined and reverted: ${reason}. ${advice}`
  }
  const error = legs.find((leg) => leg.error !== null)?.error ?? 'The transaction was not mined.'
  return `Nothing was traded. ${error} Send the trade again with a new idempotency_key.`
}

function swapped(chain: Chain, execution: Execution, filled: { amountIn: bigint; amountOut: bigint }): string {
  const say = (address: Execution['tokenIn'], amount: bigint) => {
    const token = knownToken(chain, address)
    return token === null ? `${amount} units of ${address}` : `${formatUnits(amount, token.decimals)} ${token.symbol}`
  }
  return `Swapped ${say(execution.tokenIn, filled.amountIn)} for ${say(execution.tokenOut, filled.amountOut)}.`
}
