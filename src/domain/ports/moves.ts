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

/** Every state is in one of these groups. In the first it has no nonce yet, and can be given up without a trace. */
export const statesBeforeNonce = ['requested', 'simulated'] as const satisfies State[]

/** It has a nonce and waits for its block. */
export const waitingStates = ['reserved', 'signed', 'broadcast', 'replaced', 'reorganised'] as const satisfies State[]

/** A block holds it that may still leave the chain. */
export const ripeningStates = ['included', 'safe'] as const satisfies State[]

/** Nothing follows any more. */
export const finalStates = ['finalized', 'failed', 'rejected'] as const satisfies State[]

declare const legal: unique symbol

/** A legal move. The state machine alone makes one, so that storage cannot be told of any other. */
export type Move<To extends State = State> = { readonly from: State; readonly to: To; readonly [legal]: true }
