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

declare const legal: unique symbol

/** A legal move. The state machine alone makes one, so that storage cannot be told of any other. */
export type Move<To extends State = State> = { readonly from: State; readonly to: To; readonly [legal]: true }
