import type { Mention } from './mentions.ts'
import type { Word } from './words.ts'

/** The token that is paid with and the one that is wanted, as far as a text tells them apart. */
export type Sides = { tokenIn: Mention | null; tokenOut: Mention | null }

const selling = new Set(
  (
    'swap swapping sell selling trade trading convert converting exchange exchanging change changing turn turning dump dumping ' +
    'spend spending use using move shift switch flip rotate ape put throw invest take liquidate unload offload exit ditch ' +
    'rid stake unstake deposit lend send transfer withdraw replace swop sawp cash have hold got bridge wrap unwrap drop pay ' +
    'paying with sold dispose reduce trim repay supply vende tausche verkaufe'
  ).split(' '),
)
const buying = new Set(
  (
    'buy buying purchase purchasing acquire acquiring get getting grab obtain receive want need long stack pick scoop snag ' +
    'cop gimme give load bought borrow own fetch kaufe compra increase hold owning afford'
  ).split(' '),
)
const outward = new Set('to into → > against towards toward as gegen'.split(' '))
const inward = new Set('from with using by paying via funded'.split(' '))
const asking = new Set('much many'.split(' '))
/** Between `how much` and its token there is none of these. */
const asked = new Set('is are does do would will can could for did'.split(' '))

type Role = 'in' | 'out'

/** Reads the sides of a swap from verbs and prepositions in front of each token; the first of each side counts. */
export function readSides(words: readonly Word[], tokens: readonly Mention[]): Sides {
  const sides: Record<Role, Mention | null> = { in: null, out: null }
  const state = { pending: 'in' as Role, strong: false, mode: 'sell' as 'sell' | 'buy' | 'ask' | 'cost' }
  const starts = new Map(tokens.map((token) => [token.at, token]))
  for (let at = 0; at < words.length; at += 1) {
    const token = starts.get(at)
    if (token === undefined) {
      turn(state, words, at, sides)
      continue
    }
    place(sides, token, state)
    state.pending = state.pending === 'in' ? 'out' : 'in'
    state.strong = false
    at = token.next - 1
  }
  return { tokenIn: sides.in, tokenOut: sides.out }
}

type State = { pending: Role; strong: boolean; mode: 'sell' | 'buy' | 'ask' | 'cost' }

/** What a word says of the token behind it. */
function turn(state: State, words: readonly Word[], at: number, sides: Record<Role, Mention | null>): void {
  const word = words[at]?.lower ?? ''
  const then = words[at + 1]?.lower ?? ''
  const named = sides.in !== null || sides.out !== null
  const asks = state.mode === 'ask' && sides.out !== null
  if (asking.has(word)) Object.assign(state, { pending: 'out', mode: 'ask' })
  else if (word === 'out' && then === 'of') Object.assign(state, { pending: 'in', strong: true })
  else if (word === 'from') Object.assign(state, { pending: 'in', strong: true })
  else if (word === 'for') state.pending = forRole(state, sides)
  else if (asks && ['need', 'pay', 'spend', 'cost', 'require'].includes(word)) {
    Object.assign(sides, { in: sides.out, out: null })
    Object.assign(state, { pending: 'out', mode: 'cost' })
  } else if (asks) state.pending = 'in'
  else if (inward.has(word)) state.pending = 'in'
  else if (outward.has(word)) state.pending = 'out'
  else if (word === 'in' && named) state.pending = 'out'
  else if (state.mode === 'ask' && asked.has(word) && !named) state.pending = 'in'
  else if (word === 'pay' || word === 'cost') Object.assign(state, { pending: 'in', mode: 'cost' })
  else if (buying.has(word) && then !== 'rid' && then !== 'out')
    Object.assign(state, { pending: 'out', mode: state.mode === 'ask' ? 'ask' : 'buy' })
  else if (selling.has(word)) Object.assign(state, { pending: 'in', mode: state.mode === 'ask' ? 'ask' : 'sell' })
}

/** `for`: behind what is bought stands the price, behind what is sold what is wanted; in front of both, what is given. */
function forRole({ mode }: State, sides: Record<Role, Mention | null>): Role {
  if (mode === 'cost') return 'out'
  if (mode === 'buy' || mode === 'ask') return 'in'
  return sides.in === null ? 'in' : 'out'
}

function place(sides: Record<Role, Mention | null>, token: Mention, { pending, strong }: State): void {
  const other: Role = pending === 'in' ? 'out' : 'in'
  if (sides[other]?.name === token.name || sides[pending]?.name === token.name) return
  if (sides[pending] === null) sides[pending] = token
  else if (sides[other] === null) {
    // `cash out 500 dollars from my weth`: the preposition knows better than the verb did.
    sides[other] = strong ? sides[pending] : token
    if (strong) sides[pending] = token
  }
}
