import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { BridgeFacts, BridgeLeg } from '../ports/bridge.ts'

/** 0.01 ETH in wei. A smaller deposit is transferred too, but marked as below the minimum. */
const minimumDeposit = 10n ** 16n

/** How far one transfer has come, in the contract's form. */
export type Transfer = OutputOf<typeof contract.chain.bridgeStatus>['transfers'][number]

/** What the sender can do next, or has to wait for. */
export type BridgeStep = Transfer['next_step']

type Progress = Pick<Transfer, 'state' | 'next_step'> & { seconds?: number; error?: string }

/** Derives the state of one transfer from the facts of both chains. */
export function transferOf(facts: BridgeFacts): Transfer {
  const { direction, from, to, amount, parent, rollup } = facts
  const { state, next_step, seconds, error } = direction === 'deposit' ? deposited(facts) : withdrawn(facts)
  const first = direction === 'deposit' ? parent : rollup
  const moments = [parent, rollup].flatMap((leg) => leg?.block?.timestamp.getTime() ?? [])
  return {
    direction,
    state,
    ...(from !== null && { from_address: from }),
    ...(to !== null && { to_address: to }),
    ...(amount !== null && { amount: amount.toString() }),
    below_minimum: direction === 'deposit' && amount !== null && amount < minimumDeposit,
    confirmations: first?.block?.confirmations ?? 0,
    next_step,
    ...(seconds !== undefined && { estimated_seconds: Math.ceil(seconds) }),
    ...(parent && { l1_tx_hash: parent.hash }),
    ...(rollup && { l2_tx_hash: rollup.hash }),
    ...(direction === 'withdrawal' && facts.hash !== null && { withdrawal_hash: facts.hash }),
    ...(parent?.block && { l1_block_number: parent.block.number }),
    ...(rollup?.block && { l2_block_number: rollup.block.number }),
    ...(error && { error }),
    ...(moments.length > 0 && { updated_at: new Date(Math.max(...moments)).toISOString() }),
  }
}

const stranded =
  'The message failed, and the messenger holds the amount. The message must be relayed again with more gas'

const ended = { next_step: 'none' } as const

function deposited({ parent, rollup, pace }: Extract<BridgeFacts, { direction: 'deposit' }>): Progress {
  const missing = Math.max(pace.confirmations - (parent.block?.confirmations ?? 0), 0)
  const seconds = missing * pace.parentBlock + pace.rollupBlock
  if (!parent.block) return { state: 'pending', next_step: 'wait_for_inclusion', seconds }
  if (failed(parent))
    return { state: 'failed', ...ended, error: 'The deposit reverted on the parent chain. No funds moved.' }
  if (!rollup?.block) return { state: 'relaying', next_step: 'wait_for_rollup', seconds }
  if (rollup.block.stranded) return { state: 'failed', ...ended, error: `${stranded} on this chain.` }
  if (!failed(rollup)) return { state: 'complete', ...ended }
  return {
    state: 'failed',
    ...ended,
    error: 'The call of the deposit failed on this chain. The amount is with the sender there.',
  }
}

function withdrawn(facts: Extract<BridgeFacts, { direction: 'withdrawal' }>): Progress {
  const { rollup, parent, stage, pace } = facts
  const payment = pace.parentBlock
  const proof = payment + pace.finalizationSeconds + pace.parentBlock
  if (rollup && failed(rollup))
    return { state: 'failed', ...ended, error: 'The withdrawal reverted on this chain. No funds moved.' }
  switch (stage.at) {
    case 'begun': {
      const seconds = stage.secondsToOutput + proof
      return rollup?.block
        ? { state: 'relaying', next_step: 'wait_for_output', seconds }
        : { state: 'pending', next_step: 'wait_for_inclusion', seconds }
    }
    case 'provable':
      return { state: 'relaying', next_step: 'prove', seconds: proof }
    case 'proven': {
      const finalizable = stage.secondsToFinalize <= 0
      const seconds = Math.max(stage.secondsToFinalize, 0) + payment
      return { state: 'relaying', next_step: finalizable ? 'finalize' : 'wait_for_maturity', seconds }
    }
    case 'paid':
      if (parent?.block?.stranded) return { state: 'failed', ...ended, error: `${stranded} on the parent chain.` }
      if (!parent || !failed(parent)) return { state: 'complete', ...ended }
      return {
        state: 'failed',
        ...ended,
        error:
          'The call of the withdrawal failed on the parent chain, and it cannot be repeated. The amount stays with the portal.',
      }
  }
}

function failed(leg: BridgeLeg): boolean {
  return leg.block !== null && !leg.block.succeeded
}
