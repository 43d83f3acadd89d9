import { words } from '../../../../generated/intent/words.ts'
import type { Mention } from '../reading/mentions.ts'
import { type Clause, clausesOf, lexical } from './clauses.ts'
import { type Grammar, grammarOf, type Verb } from './grammar.ts'
import type { Quantity, Reading } from './quantity.ts'
import { type Item, type Noun, sentenceIn } from './sentence.ts'
import { type Fact, factsOf, type Side } from './sides.ts'

/**
 * What a text proves of a swap: the token that is sold, the one that is bought, and which of them its quantity counts.
 * What is not proved is null. `doubt` says why the rest is open, though two tokens are named: `sides` where their sides
 * are not proved, `amount` where it is not plain which of them is counted, `forbidden` where the text forbids something.
 */
export type Direction = {
  sold: Mention | null
  bought: Mention | null
  quantity: Quantity | null
  counts: Side | null
  /** The mention that only says in what the worth of the quantity is given. */
  money: Mention | null
  /** The tokens in the order of the text, with what it says of each. */
  named: readonly Noun[]
  /** The verbs of its clauses. */
  verbs: readonly Verb[]
  /** True where it says no, and where it has conditions or words that nobody knows. */
  negates: boolean
  hedges: boolean
  /** True of a question for an amount. */
  asks: boolean
  /** True where a part of the text is a condition, such as `if gas is low`. */
  isConditional: boolean
  /** True of a verb that sends a token away. */
  sends: boolean
  /** Codes of the languages that read it so. */
  languages: readonly string[]
  doubt: 'sides' | 'amount' | 'forbidden' | null
}

/** German puts the verb behind what it governs. */
const grammars: readonly Grammar[] = Object.entries(words).map(([language, list]) =>
  grammarOf(language, list, language === 'de'),
)

/** Reads a text without words, such as `2 eth -> usdc`. */
const signs = grammarOf('', {})

/** The most words of a text that is read whole; of a longer one nothing is proved, for its end may take back its beginning. */
const mostWords = 200

/**
 * Reads a text in each language that knows most of its words. Where what they read differs nothing is proved, and where one
 * of them reads that something is forbidden, or an amount that it cannot tell, that holds. One that proves nothing yields.
 */
export function readDirection(reading: Reading): Direction {
  if (reading.words.length > mostWords) return { ...nothing, doubt: reading.tokens.size > 1 ? 'sides' : null }
  const sentences = grammars.map((grammar) => ({ grammar, ...sentenceIn(grammar, reading) }))
  const most = Math.max(...sentences.map(({ known }) => known))
  const best =
    most === 0
      ? [{ grammar: signs, ...sentenceIn(signs, reading) }]
      : sentences.filter(({ known }) => rank(known) === rank(most))
  const read = best.map(({ grammar, items }) => directionIn(grammar, items))
  const open = read.find(({ doubt }) => doubt === 'forbidden' || doubt === 'amount')
  const sure = open === undefined ? read.filter(({ doubt }) => doubt === null) : [open]
  const whole = sure.filter(({ sold, bought }) => sold !== null && bought !== null)
  const part = sure.filter(({ sold, bought }) => sold !== null || bought !== null)
  const [first = read[0] as Direction, ...others] = [whole, part, read].find((readings) => readings.length > 0) ?? []
  const same = others.every((one) => keyOf(one) === keyOf(first))
  const languages = best.map(({ grammar }) => grammar.language)
  return same ? { ...first, languages } : { ...nothing, languages, doubt: 'sides' }
}

/** Misspelt words, which count as a fraction, decide only where nothing else is known. */
function rank(known: number): number {
  return known < 1 ? known : Math.floor(known)
}

const nothing: Direction = {
  sold: null,
  bought: null,
  quantity: null,
  counts: null,
  money: null,
  named: [],
  verbs: [],
  negates: false,
  hedges: false,
  asks: false,
  isConditional: false,
  sends: false,
  languages: [],
  doubt: null,
}

function keyOf({ sold, bought, quantity, counts }: Direction): string {
  return JSON.stringify([sold?.name, bought?.name, quantity, counts])
}

function directionIn(grammar: Grammar, items: readonly Item[]): Direction {
  const clauses = clausesOf(grammar, items)
  const read = sidesOf(clauses)
  return {
    ...read,
    verbs: clauses.flatMap(({ verb }) => (verb === null ? [] : [verb])),
    negates: clauses.some(({ negated }) => negated),
    hedges: clauses.some(({ isIf, isUnclear, isUnread, unknown }) => isIf || isUnclear || isUnread || unknown),
    asks: clauses.some(({ asks }) => asks),
    isConditional: clauses.some(isCondition),
    sends: clauses.some(({ verb }) => verb === 'move'),
    ...(clauses.some(({ isUnread }) => isUnread) ? { doubt: 'amount' as const } : {}),
    ...(clauses.some(forbids) ? { doubt: 'forbidden' as const } : {}),
  }
}

/** True of `do not sell 1 weth`, but not of `I do not care how`, which is about something else. */
function forbids({ negated, verb, nouns, unknown }: Clause): boolean {
  return negated && (nouns.length > 0 || !(unknown || verb !== null))
}

/** True of `if gas is low` and `when eth is at 3000`, but not of `if i sell 2 eth` and `if you can`. */
function isCondition({ isIf, verb, nouns, numbers, unknown }: Clause): boolean {
  const isWhatIf = verb !== null && (counting.has(verb) || verb === 'own')
  return isIf && !isWhatIf && (unknown || nouns.length > 0 || numbers.length > 0)
}

function sidesOf(clauses: readonly Clause[]): Direction {
  const facts = loneSold(clauses.flatMap((clause) => factsOf(clause)))
  const sold = only(facts, 'sold')
  const bought = only(facts, 'bought')
  const names = new Set(facts.map(({ noun }) => noun.token.name))
  const named = facts.map(({ noun }) => noun)
  if (
    sold === undefined ||
    bought === undefined ||
    (names.size > 1 &&
      (clauses.some((clause) => contradicts(clause, clauses) || clause.isUnclear) || endsUnknown(clauses)))
  )
    return { ...nothing, named, doubt: 'sides' }
  const open = facts.some(({ noun, side }) => side === null && ![sold?.name, bought?.name].includes(noun.token.name))
  const clash = sold !== null && sold.name === bought?.name
  if (clash || (open && names.size > 1) || names.size > 2)
    return { ...nothing, named, doubt: names.size > 1 ? 'sides' : null }
  return { ...withQuantity(facts, clauses, sold, bought), named }
}

/** True where words that nobody knows stand behind the last token: they may take back what was said. */
function endsUnknown(clauses: readonly Clause[]): boolean {
  const last = clauses.findLastIndex(({ nouns }) => nouns.length > 0)
  return clauses.some((clause, at) => clause.unknownBehind || (at > last && clause.unknown))
}

/**
 * True of a verb without a noun that may turn the sides of the clauses before round: `3 eth in usdc, i want to buy them`.
 */
function contradicts({ verb, nouns, refers }: Clause, clauses: readonly Clause[]): boolean {
  if (verb === null || nouns.length > 0) return false
  if (refers) return counting.has(verb)
  const turned = (other: Clause) =>
    verb === 'buy'
      ? soldFirst.has(other.verb) || (weak.has(other.verb) && other.nouns.some(({ link }) => link === 'in'))
      : verb === 'sell' && other.verb === 'buy'
  return clauses.some((other) => other.nouns.length > 0 && turned(other))
}

const soldFirst: ReadonlySet<Verb | null> = new Set<Verb | null>(['sell', 'swap', 'sold'])
/** Clauses that ask for a worth. */
const weak: ReadonlySet<Verb | null> = new Set<Verb | null>([null, 'be', 'yield'])

/** `quote 2 weth` names one token, which is sold. */
function loneSold(facts: readonly Fact[]): readonly Fact[] {
  const [first] = facts
  return facts.length === 1 && first?.side === null && first.noun.quantity !== null
    ? [{ ...first, side: 'sold' }]
    : facts
}

/** The token on a side; null for none, undefined for several. */
function only(facts: readonly Fact[], side: Side): Mention | null | undefined {
  const tokens = facts.filter((fact) => fact.side === side).map(({ noun }) => noun.token)
  return new Set(tokens.map(({ name }) => name)).size > 1 ? undefined : (tokens[0] ?? null)
}

/** Verbs behind which a number alone counts what is sold, and those behind which it counts something. */
const spending: ReadonlySet<Verb> = new Set(['sell', 'swap', 'pay', 'settle'])
const counting: ReadonlySet<Verb> = new Set([...lexical, 'get', 'need'])

/** Adds the one quantity of a text. Two of them, or one that nobody owns, prove nothing. */
function withQuantity(
  facts: readonly Fact[],
  clauses: readonly Clause[],
  sold: Mention | null,
  bought: Mention | null,
): Direction {
  const counted = facts.filter(({ noun }) => noun.quantity !== null)
  const numbers = clauses.flatMap((one) =>
    one.numbers.map((number) => ({ ...number, isAlone: one.nouns.length === 0 })),
  )
  const [only] = counted
  // `buy 500 usdc worth of eth` pays with the currency of the worth, where no other token is named.
  const paid = sold ?? (only?.side === 'bought' ? only.noun.money : null)
  const sides = { ...nothing, sold: paid, bought }
  const isWhole = paid !== null && bought !== null
  // In a swap every number must be accounted for. Beside one token it may be a rank; without any, `and for 2?`, it may not.
  const weighed = numbers.filter(
    ({ behind, quantity }) =>
      isWhole || (behind !== null && counting.has(behind)) || (facts.length === 0 && quantity?.value != null),
  )
  if (facts.some(({ noun }) => noun.isUnread) || counted.length + weighed.length > 1)
    return { ...sides, doubt: 'amount' }
  if (only !== undefined) {
    const counts = only.side ?? (only.noun.token.name === bought?.name ? 'bought' : 'sold')
    return { ...sides, quantity: only.noun.quantity, counts, money: only.noun.money }
  }
  const [number] = weighed
  if (number === undefined) return sides
  const isPaid = number.behind !== null && spending.has(number.behind) && !number.isAlone
  if (number.quantity === null || (isWhole && !isPaid)) return { ...sides, doubt: 'amount' }
  return { ...sides, quantity: number.quantity, counts: bought !== null && paid === null ? 'bought' : 'sold' }
}
