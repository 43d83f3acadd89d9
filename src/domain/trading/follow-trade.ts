import { DomainError } from '../errors.ts'
import type { Chain, Receipt } from '../ports/chains.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Execution, ExecutionChange, ExecutionState } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { isDone } from './advance.ts'
import { bookFill } from './book-fill.ts'
import { isFinal, sourcesOf } from './execution-state.ts'
import { formatUnits } from './money.ts'
import { knownToken } from './tokens.ts'

type Needs = Pick<Ports, 'clock' | 'executions' | 'ledger' | 'outbox'>

/** Keeps the execution in step with its transactions; once they are done, reads the fill, books it, and ends it. */
export async function followTrade(ports: Needs, chain: Chain, executionId: string, legs: readonly Outgoing[]) {
  const swap = legs.find(({ kind }) => kind === 'swap')
  if (swap === undefined) return
  for (const state of reached(swap)) {
    await change(ports, executionId, state, { transactionHash: swap.hash, message: progress[state] })
  }
  if (!legs.every(isDone)) return
  const execution = await ports.executions.load(executionId)
  if (execution === null || isFinal(execution.state)) return
  const receipts = await Promise.all(legs.map(async ({ hash }) => (hash === null ? null : await chain.receipt(hash))))
  const mined = receipts.filter((receipt) => receipt !== null)
  // A node that lags behind the one that told of the receipt: nothing is decided on its silence.
  if (mined.length < legs.filter(({ state }) => state !== 'failed').length)
    throw new DomainError('UNAVAILABLE', 'A receipt that was there is not there now; it is read again.')
  const receipt = mined.find(({ hash }) => hash === swap.hash) ?? null
  await end(ports, chain, execution, legs, mined, receipt)
}

/** The states that a swap's own transaction has passed, apart from the last. */
function reached({ state, hash }: Outgoing): ('signed' | 'broadcast')[] {
  if (hash === null) return []
  return state === 'signed' || state === 'failed' ? ['signed'] : ['signed', 'broadcast']
}

const progress = {
  signed: 'The transaction is signed and about to be sent.',
  broadcast: 'The transaction was sent and waits for its block.',
}

async function end(
  ports: Needs,
  chain: Chain,
  execution: Execution,
  legs: readonly Outgoing[],
  mined: readonly Receipt[],
  swap: Receipt | null,
): Promise<void> {
  const filled =
    swap?.status === 'success' && execution.route !== null
      ? chain.fillOf(swap, execution.route, execution.walletAddress)
      : null
  const transactionHash = swap?.hash ?? mined[0]?.hash
  if (transactionHash !== undefined) {
    const feeWei = mined.reduce((sum, receipt) => sum + receipt.feeWei, 0n)
    await bookFill(ports, chain, execution, { filled, feeWei, transactionHash })
  }
  const facts = swap === null ? {} : { gasUsed: swap.gasUsed, feeWei: swap.feeWei, blockNumber: swap.blockNumber }
  if (filled === null) {
    await change(ports, execution.id, 'failed', { ...facts, message: await whyFailed(chain, legs) })
    return
  }
  const message = swapped(chain, execution, filled)
  await change(ports, execution.id, 'included', { ...facts, amountOut: filled.amountOut, message })
}

async function change(
  ports: Needs,
  executionId: string,
  state: ExecutionState,
  fields: Omit<ExecutionChange, 'state' | 'updatedAt'>,
): Promise<void> {
  const updatedAt = ports.clock.now()
  await ports.executions.update(executionId, sourcesOf(state), { ...fields, state, updatedAt })
}

async function whyFailed(chain: Chain, legs: readonly Outgoing[]): Promise<string> {
  const reverted = legs.find(({ state }) => state === 'reverted')
  if (reverted?.hash != null) {
    const { reason, advice } = await chain.revertReason(reverted.hash)
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
