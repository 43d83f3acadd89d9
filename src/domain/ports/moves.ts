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

/** Every state is in one of these groups. These have no nonce yet and can be discarded without a trace. */
export const statesBeforeNonce = ['requested', 'simulated'] as const satisfies State[]

/** These have a nonce and wait for their block. */
export const waitingStates = ['reserved', 'signed', 'broadcast', 'replaced', 'reorganised'] as const satisfies State[]

/** A block holds them that is not final yet. */
export const confirmingStates = ['included', 'safe'] as const satisfies State[]

/** No state follows these. */
export const finalStates = ['finalized', 'failed', 'rejected'] as const satisfies State[]

declare const legal: unique symbol

/** A legal move. Only the state machine makes one, so that storage cannot be given any other. */
export type Move<To extends State = State> = { readonly from: State; readonly to: To; readonly [legal]: true }
