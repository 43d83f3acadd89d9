import { confirmingStates, finalStates, type Move, type State, statesBeforeNonce } from '../ports/moves.ts'

/**
 * The one state machine of real trades and of the transactions they are made of. A trade walks it from `requested`; each
 * of its legs, in the order wrap, approve, swap, unwrap, walks it from `reserved`, and the trade follows its legs.
 *
 *     requested -> simulated -> reserved -> signed -> broadcast -> included -> safe -> finalized
 *         |            |           |          |        |   ^          |         |
 *      rejected     rejected     failed     failed  replaced  \-- reorganised <-/
 *
 * - `requested`, `simulated`: a stored request without a nonce. `rejected` gives its key back and leaves nothing behind.
 * - `reserved`: every leg has its nonce; simulation, caps, lists and halts have passed in the transaction that wrote it.
 * - `signed`: the bytes are stored. From here on they may be with a node, whatever an answer said.
 * - `broadcast`: a node has them. `replaced`: the same nonce was signed again, dearer, or as a filling that does nothing;
 *   each attempt is remembered, and whichever is mined decides.
 * - `included`, `safe`, `finalized`: a block holds the nonce, and how firm that block is. Whether it holds what was asked
 *   for is the outcome, not the state. `reorganised`: that block left the chain, and nothing of it is in the books.
 * - `failed`: nothing of it is or will be in a block. What may have left never fails: its nonce is filled instead. Where the
 *   key is lost that would fill it, it fails past its deadline once no node has it.
 *
 * Each move is one database transaction and is made from one version of the row: of two processes one is first, and a
 * crash leaves a state that the next process takes up.
 */
const moves = {
  requested: ['simulated', 'rejected'],
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

/** Every state, in the order of the straight way. */
export const states = Object.keys(moves) as readonly State[]

/** The states that one move leads to. */
export function movesFrom(state: State): readonly State[] {
  return moves[state]
}

export function canMove(from: State, to: State): boolean {
  return movesFrom(from).includes(to)
}

/** The only maker of moves: what storage takes. An illegal one is a defect of ours and throws. */
export function moveOf<From extends State, To extends State>(from: From, to: To): Move<To> {
  if (!canMove(from, to)) throw new Error(`A trade that is ${from} cannot become ${to}.`)
  return { from, to } as unknown as Move<To>
}

/** The states to pass from one to the other, the last included; null where no way leads there. */
export function wayTo<S extends State>(from: State, to: S): readonly State[] | null {
  const ways: State[][] = movesFrom(from).map((next) => [next])
  const seen = new Set<State>(movesFrom(from))
  for (const way of ways) {
    const last = way.at(-1)
    if (last === undefined) continue
    if (last === to) return way
    for (const next of movesFrom(last)) {
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return null
}

/** True where nothing follows any more. */
export function isFinal(state: State): boolean {
  return isOneOf(finalStates, state)
}

/** A block of the present chain holds it. */
export function isMined(state: State): state is (typeof confirmingStates)[number] | 'finalized' {
  return isOneOf(confirmingStates, state) || state === 'finalized'
}

/** It waits for nothing but the firmness of its block. */
export function isDecided(state: State): boolean {
  return isOneOf(confirmingStates, state) || isFinal(state)
}

/** It has no nonce yet, and can still be given up without a trace. */
export function isBeforeNonce(state: State): boolean {
  return isOneOf(statesBeforeNonce, state)
}

function isOneOf(group: readonly State[], state: State): boolean {
  return group.includes(state)
}
