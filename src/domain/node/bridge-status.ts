import type { BridgeFacts, BridgeLeg } from '../ports/bridge.ts'

/** Less than this is carried all the same, and marked: 0.01 in wei. */
const minimumDeposit = 10n ** 16n

/** What the one who asks can do, or has to wait for. */
export type BridgeStep =
  | 'wait_for_inclusion'
  | 'wait_for_rollup'
  | 'wait_for_output'
  | 'prove'
  | 'wait_for_maturity'
  | 'finalize'
  | 'none'

/** How far a transfer has come, in the contract's form. */
export type BridgeStatus = {
  direction: BridgeFacts['direction']
  state: 'pending' | 'relaying' | 'complete' | 'failed'
  from_address: string
  /** Absent where it makes a contract that is not there. */
  to_address?: string
  /** Wei, in decimal digits. */
  amount: string
  below_minimum: boolean
  /** Blocks that hold its first transaction, the first of them included. */
  confirmations: number
  next_step: BridgeStep
  /** Seconds until it is complete, if every step is taken at once; absent when it is over. */
  estimated_seconds?: number
  l1_tx_hash?: string
  l2_tx_hash?: string
  l1_block_number?: number
  l2_block_number?: number
  error?: string
  updated_at?: string
}

type Progress = Pick<BridgeStatus, 'state' | 'next_step'> & { seconds?: number; error?: string }

/** Tells from what both chains know how far a transfer has come. */
export function bridgeStatusOf(facts: BridgeFacts): BridgeStatus {
  const { direction, from, to, amount, parent, rollup } = facts
  const { state, next_step, seconds, error } = direction === 'deposit' ? deposited(facts) : withdrawn(facts)
  const first = direction === 'deposit' ? parent : rollup
  const moments = [parent, rollup].flatMap((leg) => leg?.block?.timestamp.getTime() ?? [])
  return {
    direction,
    state,
    from_address: from,
    ...(to !== null && { to_address: to }),
    amount: amount.toString(),
    below_minimum: direction === 'deposit' && amount < minimumDeposit,
    confirmations: first?.block?.confirmations ?? 0,
    next_step,
    ...(seconds !== undefined && { estimated_seconds: Math.ceil(seconds) }),
    ...(parent && { l1_tx_hash: parent.hash }),
    ...(rollup && { l2_tx_hash: rollup.hash }),
    ...(parent?.block && { l1_block_number: parent.block.number }),
    ...(rollup?.block && { l2_block_number: rollup.block.number }),
    ...(error && { error }),
    ...(moments.length > 0 && { updated_at: new Date(Math.max(...moments)).toISOString() }),
  }
}

const stranded = 'Its message failed, and the messenger keeps the amount: have it relayed again with more gas'

const over = { next_step: 'none' } as const

function deposited({ parent, rollup, pace }: Extract<BridgeFacts, { direction: 'deposit' }>): Progress {
  const missing = Math.max(pace.confirmations - (parent.block?.confirmations ?? 0), 0)
  const seconds = missing * pace.parentBlock + pace.rollupBlock
  if (!parent.block) return { state: 'pending', next_step: 'wait_for_inclusion', seconds }
  if (failed(parent))
    return { state: 'failed', ...over, error: 'The deposit reverted on the parent chain; it moved nothing.' }
  if (!rollup?.block) return { state: 'relaying', next_step: 'wait_for_rollup', seconds }
  if (rollup.block.stranded) return { state: 'failed', ...over, error: `${stranded} on this chain.` }
  if (!failed(rollup)) return { state: 'complete', ...over }
  return { state: 'failed', ...over, error: 'Its call reverted on this chain; the amount is with the sender there.' }
}

function withdrawn(facts: Extract<BridgeFacts, { direction: 'withdrawal' }>): Progress {
  const { rollup, parent, stage, pace } = facts
  const payment = pace.parentBlock
  const proof = payment + pace.maturity + pace.parentBlock
  if (rollup && failed(rollup))
    return { state: 'failed', ...over, error: 'It reverted on this chain; it moved nothing.' }
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
      const ripe = stage.secondsToMaturity <= 0
      const seconds = Math.max(stage.secondsToMaturity, 0) + payment
      return { state: 'relaying', next_step: ripe ? 'finalize' : 'wait_for_maturity', seconds }
    }
    case 'paid':
      if (parent?.block?.stranded) return { state: 'failed', ...over, error: `${stranded} on the parent chain.` }
      if (!parent || !failed(parent)) return { state: 'complete', ...over }
      return { state: 'failed', ...over, error: 'Its call failed on the parent chain, and it cannot be made again.' }
  }
}

function failed(leg: BridgeLeg): boolean {
  return leg.block !== null && !leg.block.succeeded
}
