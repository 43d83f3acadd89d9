/** Every state of a real trade or of one of its transactions; `execution-state.ts` says what they mean. */
export type State =
  | 'requested'
  | 'simulated'
  | 'reserved'
  | 'signed'
  | 'broadcast'
  | 'replaced'
  | 'included'
  | 'safe'
  | 'reorganised'
  | 'finalized'
  | 'failed'
  | 'rejected'
  | 'awaiting_confirmation'

/** Every state is in one of these groups. Executions in these states have no nonce yet and can be discarded. */
export const statesBeforeNonce = ['requested', 'simulated'] as const satisfies State[]

/** Without a nonce, until the account confirms the trade or its time is over. */
export const awaitingStates = ['awaiting_confirmation'] as const satisfies State[]

/** All states without a nonce. */
export const statesWithoutNonce = [...statesBeforeNonce, ...awaitingStates] as const

/** States with a nonce and without a block. */
export const waitingStates = ['reserved', 'signed', 'broadcast', 'replaced', 'reorganised'] as const satisfies State[]

/** Those in which a node was offered the transaction. */
export const offeredStates = ['broadcast', 'replaced'] as const satisfies State[]

/** States in a block that is not final yet. */
export const confirmingStates = ['included', 'safe'] as const satisfies State[]

/** No state follows these. */
export const finalStates = ['finalized', 'failed', 'rejected'] as const satisfies State[]

declare const legal: unique symbol

/** A legal move. Only the state machine creates one, so that storage never receives an illegal one (T1). */
export type Move<To extends State = State> = { readonly from: State; readonly to: To; readonly [legal]: true }
