import type { ExecutionState } from '../ports/trades.ts'

/** What a trade says in each state, unless more is known. */
export const progress = {
  awaiting_confirmation: 'The trade waits for the account to confirm it. Nothing was sent.',
  simulated: 'The trade was simulated and is about to be sent.',
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
