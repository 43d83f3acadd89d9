import {
  awaitingStates,
  confirmingStates,
  finalStates,
  type Move,
  type State,
  statesBeforeNonce,
} from '../ports/moves.ts'

/**
 * The state machine of trades and of their transactions. A trade starts at `requested`; each of its transactions (wrap,
 * approve, swap, unwrap, in this order) starts at `reserved`, and the trade follows its transactions.
 *
 *     requested -> simulated -> reserved -> signed -> broadcast -> included -> safe -> finalized
 *         |            |           |          |        |   ^          |         |
 *      rejected     rejected     failed     failed  replaced  \-- reorganised <-/
 *
 * - `requested`, `simulated`: a stored request without a nonce. `rejected` frees its idempotency key and stores nothing.
 * - `awaiting_confirmation`: a request without a nonce that the account must confirm, which makes it `requested` again.
 * - `reserved`: every transaction has its nonce; simulation, caps, lists and halts have passed in the transaction that wrote it.
 * - `signed`: the bytes are stored. From here on a node may have them, whatever it responded.
 * - `broadcast`: a node has them. `replaced`: the same nonce was signed again, with a higher fee or as a cancellation;
 *   each attempt is stored, and the one that is mined decides.
 * - `included`, `safe`, `finalized`: a mined block uses the nonce, with this finality. Whether the call succeeded is the
 *   outcome, not the state. `reorganised`: that block left the chain.
 * - `failed`: it has no effect on the chain.
 *
 * T1. A state changes only by a move of the table below.
 * T2. A move is stored in one database transaction, and only over the version of the row that was read.
 * T3. A transaction is `signed` in the same database transaction that stores its bytes.
 * T4. A transaction whose bytes a node may have fails only when a final block used its nonce for another transaction, or
 *     when it cannot be cancelled, its deadline is past and the node does not know it.
 * T5. A trade is taken out of the books before it becomes `reorganised`.
 */
const moves = {
  requested: ['simulated', 'awaiting_confirmation', 'rejected'],
  awaiting_confirmation: ['requested', 'rejected'],
  simulated: ['reserved', 'rejected'],
  reserved: ['signed', 'failed'],
  signed: ['broadcast', 'replaced', 'failed'],
  broadcast: ['included', 'replaced', 'failed'],
  replaced: ['included', 'replaced', 'failed'],
  included: ['safe', 'reorganised'],
  safe: ['finalized', 'reorganised'],
  reorganised: ['broadcast', 'included', 'replaced', 'failed'],
  finalized: [],
  failed: [],
  rejected: [],
} as const satisfies Readonly<Record<State, readonly State[]>>

/** All states, in the order that an undisturbed trade passes them. */
export const states = Object.keys(moves) as readonly State[]

/** The states that one move leads to. */
export function movesFrom(state: State): readonly State[] {
  return moves[state]
}

export function canMove(from: State, to: State): boolean {
  return movesFrom(from).includes(to)
}

/** The only path to create a move, which storage requires (T1). An illegal move is a bug and throws. */
export function moveOf<From extends State, To extends State>(from: From, to: To): Move<To> {
  if (!canMove(from, to)) throw new Error(`A trade that is ${from} cannot become ${to}.`)
  return { from, to } as unknown as Move<To>
}

/** The shortest path of states between two states, without the first; null when there is none. */
export function pathTo<S extends State>(from: State, to: S): readonly State[] | null {
  const paths: State[][] = movesFrom(from).map((next) => [next])
  const seen = new Set<State>(movesFrom(from))
  for (const path of paths) {
    const last = path.at(-1)
    if (last === undefined) continue
    if (last === to) return path
    for (const next of movesFrom(last)) {
      if (seen.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return null
}

/** True when no move leads on. */
export function isFinal(state: State): boolean {
  return isOneOf(finalStates, state)
}

/** A block of the present chain holds it. */
export function isMined(state: State): state is (typeof confirmingStates)[number] | 'finalized' {
  return isOneOf(confirmingStates, state) || state === 'finalized'
}

/** True where only the finality of its block can still change. */
export function isDecided(state: State): boolean {
  return isOneOf(confirmingStates, state) || isFinal(state)
}

/** True where it waits for the account. */
export function isAwaiting(state: State): boolean {
  return isOneOf(awaitingStates, state)
}

/** True where it has no nonce yet and can be discarded. */
export function isBeforeNonce(state: State): boolean {
  return isOneOf(statesBeforeNonce, state)
}

function isOneOf(group: readonly State[], state: State): boolean {
  return group.includes(state)
}
