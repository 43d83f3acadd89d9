import type { Mention } from './mentions.ts'
import type { Word } from './words.ts'

/** The token to pay and the token to buy, as far as the text distinguishes them. */
export type Sides = { tokenIn: Mention | null; tokenOut: Mention | null }

const selling = new Set(
  (
    'sell selling convert converting change changing turn turning dump dumping ' +
    'spend spending use using move shift flip rotate ape put throw invest take liquidate unload offload exit ditch ' +
    'rid stake unstake deposit lend send transfer withdraw cash have hold got bridge wrap unwrap drop ' +
    'with dispose reduce trim repay supply vende tausche verkaufe'
  ).split(' '),
)
/** Verbs whose `with` names the token to buy. */
const swapping = new Set(
  'swap swapping swop sawp exchange exchanging replace replacing trade trading switch'.split(' '),
)
const buying = new Set(
  (
    'buy buying purchase purchasing acquire acquiring grab long stack pick scoop snag cop load bought borrow own kaufe ' +
    'compra increase hold owning afford order ordering'
  ).split(' '),
)
/** Verbs that can request anything; they name a token to buy only where one follows at once. */
const wishing = new Set('get getting obtain receive want need gimme give fetch'.split(' '))
const askedFor = new Set(
  'quote quotes quotation estimate rate rates price prices pricing number numbers figure figures'.split(' '),
)
const outward = new Set('to into → > against towards toward as gegen'.split(' '))
const inward = new Set('from with using by paying via funded'.split(' '))
/** The token to pay always follows these. */
const paying = new Set('pay paying paid payable funded covered settled'.split(' '))
const means = new Set('in with by from using'.split(' '))
const sold = new Set('swapped sold converted exchanged turned changed'.split(' '))
const asking = new Set('much many'.split(' '))
/** None of these stands between `how much` and its token. */
const auxiliaries = new Set('is are does do would will can could for did'.split(' '))
const persons = new Set('me us him her them you myself friend wife husband brother sister mom dad'.split(' '))

type Role = 'in' | 'out'
type Mode = 'plain' | 'sell' | 'swap' | 'buy' | 'wish' | 'ask' | 'cost'
type State = { pending: Role; strong: boolean; mode: Mode }

/**
 * Reads the sides of a swap: from a pair such as `weth to usdc`, else from the verbs and prepositions before each token,
 * where the first token of each side counts.
 */
export function readSides(words: readonly Word[], tokens: readonly Mention[]): Sides {
  const pair = pairOf(words, tokens)
  if (pair !== null) return pair
  const sides: Record<Role, Mention | null> = { in: null, out: null }
  const state: State = { pending: 'in', strong: false, mode: 'plain' }
  const starts = new Map(tokens.map((token) => [token.at, token]))
  for (let at = 0; at < words.length; at += 1) {
    const token = starts.get(at)
    if (token === undefined) {
      turn(state, words, at, sides)
      continue
    }
    if (sold.has(words[token.next]?.lower ?? '')) Object.assign(state, { pending: 'in', strong: true, mode: 'sell' })
    place(sides, token, state)
    state.pending = state.pending === 'in' ? 'out' : 'in'
    state.strong = false
    at = token.next - 1
  }
  return { tokenIn: sides.in, tokenOut: sides.out }
}

/** Changes the state by a word: which side the next token is on. */
function turn(state: State, words: readonly Word[], at: number, sides: Record<Role, Mention | null>): void {
  const [before, word, then] = [-1, 0, 1].map((step) => words[at + step]?.lower ?? '') as [string, string, string]
  const named = sides.in !== null || sides.out !== null
  const asks = state.mode === 'ask' && sides.out !== null
  const expect = (pending: Role, strong = false) => Object.assign(state, { pending, strong })
  if (asking.has(word)) Object.assign(state, { pending: 'out', mode: 'ask' })
  else if ((word === 'out' && then === 'of') || word === 'from') expect('in', true)
  else if (paying.has(before) && means.has(word)) expect('in', true)
  else if (word === 'for') readFor(state, words, at, sides)
  else if (asks && ['need', 'pay', 'spend', 'cost', 'require'].includes(word)) {
    Object.assign(sides, { in: sides.out, out: null })
    Object.assign(state, { pending: 'out', mode: 'cost' })
  } else if (asks) state.pending = 'in'
  else if (inward.has(word)) expect('in', named && ['plain', 'buy', 'wish'].includes(state.mode) && word !== 'by')
  else if (outward.has(word)) expect('out')
  else if (word === 'in' && named) expect('out')
  else if (state.mode === 'ask' && auxiliaries.has(word) && !named) expect('in')
  else if (word === 'pay' || word === 'cost') Object.assign(state, { pending: 'in', mode: 'cost' })
  else readVerb(state, before, word, then)
}

function readVerb(state: State, before: string, word: string, then: string): void {
  const as = (mode: Mode) => (state.mode === 'ask' ? 'ask' : mode)
  const takes = word === 'take' && ["i'll", 'ill', "we'll", 'will'].includes(before)
  const wishes = wishing.has(word) && then !== 'rid' && then !== 'out'
  if (state.mode === 'wish' && (askedFor.has(word) || word === ':' || word === ','))
    Object.assign(state, { pending: 'in', mode: 'plain' })
  else if (takes || (buying.has(word) && before !== 'sell')) Object.assign(state, { pending: 'out', mode: as('buy') })
  else if (wishes) Object.assign(state, { pending: 'out', mode: as('wish') })
  else if (swapping.has(word)) Object.assign(state, { pending: 'in', mode: as('swap') })
  else if (selling.has(word)) Object.assign(state, { pending: 'in', mode: as('sell') })
}

/**
 * `for` follows a token to buy and leads to the price, or follows a token to sell and leads to the token to buy; before
 * both it leads to the token to pay. `for` a person changes nothing, and an order for something is one to buy it.
 */
function readFor(state: State, words: readonly Word[], at: number, sides: Record<Role, Mention | null>): void {
  const { mode } = state
  const [before, then, last] = [-1, 1, 2].map((step) => words[at + step]?.lower ?? '') as [string, string, string]
  if (before === 'order' || persons.has(then) || (then === 'my' && persons.has(last))) return
  const bought = mode === 'buy' || mode === 'wish' || mode === 'ask'
  const wanted = mode === 'cost' || (!bought && sides.in !== null)
  Object.assign(state, { pending: wanted ? 'out' : 'in', strong: false })
}

function place(sides: Record<Role, Mention | null>, token: Mention, { pending, strong }: State): void {
  const other: Role = pending === 'in' ? 'out' : 'in'
  if (sides[other]?.name === token.name || sides[pending]?.name === token.name) return
  if (sides[pending] === null) sides[pending] = token
  else if (sides[other] === null) {
    // `cash out 500 dollars from my weth`: the preposition decides, not the verb.
    sides[other] = strong ? sides[pending] : token
    if (strong) sides[pending] = token
  }
}

const arrows = ['to', 'into', '→', '- >', '= >', '>']
const mayStandBetween = new Set('some my more a an the your'.split(' '))

/** The sides of the first `weth to usdc`, `weth into 500 usdc` or `weth → usdc`, whatever verb stands before; else null. */
function pairOf(words: readonly Word[], tokens: readonly Mention[]): { tokenIn: Mention; tokenOut: Mention } | null {
  for (const [index, tokenIn] of tokens.entries()) {
    const tokenOut = tokens[index + 1]
    if (tokenOut === undefined || tokenOut.name === tokenIn.name || tokenOut.at - tokenIn.next > 5) continue
    const between = words.slice(tokenIn.next, tokenOut.at)
    const arrow = between
      .filter(({ kind, lower }) => kind !== 'number' && !mayStandBetween.has(lower))
      .map(({ lower }) => lower)
    if (arrows.includes(arrow.join(' '))) return { tokenIn, tokenOut }
  }
  return null
}
