import type { Mention } from '../reading/mentions.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { type Grammar, grammarOf, type Link, type Verb } from './grammar.ts'
import { italian } from './italian.ts'
import { portuguese } from './portuguese.ts'
import type { Quantity, Reading } from './quantity.ts'
import { type Item, type Noun, sentenceIn } from './sentence.ts'
import { spanish } from './spanish.ts'

type Side = 'sold' | 'bought'

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
  /** True of a question for an amount. */
  asks: boolean
  /** True of a verb that sends a token away. */
  sends: boolean
  /** Codes of the languages that read it so. */
  languages: readonly string[]
  doubt: 'sides' | 'amount' | 'forbidden' | null
}

const grammars: readonly Grammar[] = [english, german, spanish, french, portuguese, italian]

/** Reads a text without words, such as `2 eth -> usdc`. */
const signs = grammarOf('', {}, { numbers: '', shares: '', tails: '' })

/** Reads a text in each language that knows most of its words; where they differ, nothing is proved. */
export function readDirection(reading: Reading): Direction {
  const sentences = grammars.map((grammar) => ({ grammar, ...sentenceIn(grammar, reading) }))
  const most = Math.max(...sentences.map(({ known }) => known))
  const best =
    most === 0 ? [{ grammar: signs, ...sentenceIn(signs, reading) }] : sentences.filter(({ known }) => known === most)
  const read = best.map(({ grammar, items }) => directionIn(grammar, items))
  const sure = read.filter(({ doubt }) => doubt === null)
  const whole = sure.filter(({ sold, bought }) => sold !== null && bought !== null)
  const part = sure.filter(({ sold, bought }) => sold !== null || bought !== null)
  const [first = read[0] as Direction, ...others] = [whole, part, read].find((readings) => readings.length > 0) ?? []
  const same = others.every((one) => keyOf(one) === keyOf(first))
  const languages = best.map(({ grammar }) => grammar.language)
  return same ? { ...first, languages } : { ...nothing, languages, doubt: 'sides' }
}

const nothing: Direction = {
  sold: null,
  bought: null,
  quantity: null,
  counts: null,
  money: null,
  named: [],
  asks: false,
  sends: false,
  languages: [],
  doubt: null,
}

function keyOf({ sold, bought, quantity, counts }: Direction): string {
  return JSON.stringify([sold?.name, bought?.name, quantity, counts])
}

/** A noun in its clause. */
type Placed = { noun: Noun; link: Link | null; asked: boolean; beforeVerb: boolean }

type Clause = {
  verb: Verb | null
  nouns: Placed[]
  /** Quantities without a token, right behind a verb or not. */
  numbers: { quantity: Quantity | null; behind: Verb | null }[]
  asks: boolean
  negated: boolean
  /** True where `it` may be one of several tokens. */
  refers: boolean
  /** True where a fraction stands that belongs to no token. */
  isUnread: boolean
  /** True where it has a word that nobody knows. */
  unknown: boolean
  /** True where such a word could change the meaning. */
  broken: boolean
}

/** A noun and its side, null where it is open. */
type Fact = { noun: Noun; side: Side | null }

function directionIn(grammar: Grammar, items: readonly Item[]): Direction {
  const clauses = clausesOf(grammar, items)
  const read = sidesOf(clauses)
  return {
    ...read,
    asks: clauses.some(({ asks }) => asks),
    sends: clauses.some(({ verb }) => verb === 'move'),
    ...(clauses.some(forbids) ? { doubt: 'forbidden' } : {}),
  }
}

/** True of `do not sell 1 weth`, but not of `I do not care how`, which is about something else. */
function forbids({ negated, verb, nouns, unknown }: Clause): boolean {
  return negated && (nouns.length > 0 || !(unknown || verb !== null))
}

function sidesOf(clauses: readonly Clause[]): Direction {
  const facts = loneSold(clauses.flatMap((clause) => factsOf(clause)))
  const sold = only(facts, 'sold')
  const bought = only(facts, 'bought')
  const names = new Set(facts.map(({ noun }) => noun.token.name))
  const named = facts.map(({ noun }) => noun)
  if (sold === undefined || bought === undefined || clauses.some((clause) => contradicts(clause, clauses)))
    return { ...nothing, named, doubt: 'sides' }
  const open = facts.some(({ noun, side }) => side === null && ![sold?.name, bought?.name].includes(noun.token.name))
  const clash = sold !== null && sold.name === bought?.name
  if (clash || (open && names.size > 1) || names.size > 2)
    return { ...nothing, named, doubt: names.size > 1 ? 'sides' : null }
  return { ...withQuantity(facts, clauses, sold, bought), named }
}

/**
 * True of a verb without a noun that may turn the sides of the clauses before round: `3 eth in usdc, i want to buy them`.
 */
function contradicts({ verb, nouns, refers }: Clause, clauses: readonly Clause[]): boolean {
  if (verb === null || nouns.length > 0) return false
  if (refers) return lexical.has(verb) || verb === 'get' || verb === 'need'
  return (
    verb === 'buy' &&
    clauses.some(
      (other) => (other.verb === null || other.verb === 'be') && other.nouns.some(({ link }) => link === 'in'),
    )
  )
}

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

/** Adds the one quantity of a text. Two of them, or one that nobody owns, prove nothing. */
function withQuantity(
  facts: readonly Fact[],
  clauses: readonly Clause[],
  sold: Mention | null,
  bought: Mention | null,
): Direction {
  const counted = facts.filter(({ noun }) => noun.quantity !== null)
  const numbers = clauses
    .flatMap((clause) => clause.numbers)
    .filter(({ behind }) => behind !== null && (lexical.has(behind) || behind === 'get' || behind === 'need'))
  const [only] = counted
  // `buy 500 usdc worth of eth` pays with the currency of the worth, where no other token is named.
  const paid = sold ?? (only?.side === 'bought' ? only.noun.money : null)
  const sides = { ...nothing, sold: paid, bought }
  if (facts.some(({ noun }) => noun.isUnread) || clauses.some(({ isUnread }) => isUnread))
    return { ...sides, doubt: 'amount' }
  if (counted.length === 0 && numbers.length === 0) return sides
  if (counted.length + numbers.length > 1) return { ...sides, doubt: 'amount' }
  if (only !== undefined) {
    const counts = only.side ?? (only.noun.token.name === bought?.name ? 'bought' : 'sold')
    return { ...sides, quantity: only.noun.quantity, counts, money: only.noun.money }
  }
  const [number] = numbers
  const isPaid = number?.behind === 'sell' || number?.behind === 'swap' || number?.behind === 'pay'
  if (number?.quantity == null) return { ...sides, doubt: 'amount' }
  return isPaid || bought === null || sold === null
    ? { ...sides, quantity: number.quantity, counts: bought !== null && sold === null ? 'bought' : 'sold' }
    : { ...sides, doubt: 'amount' }
}

const lexical: ReadonlySet<Verb> = new Set(['sell', 'swap', 'pay', 'buy', 'move', 'sold'])

/** A clause while it is read, and what the last words leave open for the next one. */
type Progress = {
  clauses: Clause[]
  clause: Clause
  link: Link | null
  /** The verb right before, or null. */
  last: Verb | null
  /** True right after `how much`, and right after a noun such as `quote`. */
  asked: boolean
  quoted: boolean
  /** True where the clause has a word that nobody knows. */
  unknown: boolean
}

/** Splits a sentence into clauses with one verb each. */
function clausesOf(grammar: Grammar, items: readonly Item[]): Clause[] {
  const progress: Progress = { clauses: [], clause: emptyClause(), ...fresh }
  for (const item of items) {
    const { quoted, asked } = progress
    progress.quoted = false
    if (item.kind === 'noun') takeNoun(progress, item.noun)
    else if (item.kind === 'it') takeIt(progress)
    else if (item.kind === 'number') progress.clause.numbers.push({ quantity: item.quantity, behind: progress.last })
    else if (item.kind === 'cut') {
      if (!leadsOn(progress.clause)) endClause(progress, grammar)
    } else if (item.kind === 'how' || item.kind === 'what') {
      // `if i give 2 eth how much usdc do i get` has two clauses.
      if (progress.link === null && progress.clause.verb !== null && progress.clause.nouns.length > 0)
        endClause(progress, grammar)
      progress.asked = item.kind === 'how'
      progress.clause.asks = true
    } else if (item.kind === 'quote') {
      if (progress.clause.verb !== null && !lexical.has(progress.clause.verb)) progress.clause.verb = null
      progress.quoted = true
    } else if (isLink(item.kind)) {
      // `a quote for` and `how much of` say nothing of the side.
      const isPart = (quoted && ['for', 'of', 'in'].includes(item.kind)) || (asked && item.kind === 'of')
      // `contre des usdc`: the article says nothing beside another link.
      if (!isPart && !(item.kind === 'of' && progress.link !== null)) progress.link = item.kind
    } else if (isVerb(item.kind)) takeVerb(progress, grammar, item.kind)
    else {
      if (item.kind === 'apart') progress.link = null
      if (item.kind === 'fraction') progress.clause.isUnread = true
      if (item.kind === 'unknown') progress.unknown = progress.clause.unknown = true
      if (item.kind === 'not') progress.clause.negated = true
      Object.assign(progress, { quoted, asked: false })
    }
  }
  endClause(progress, grammar)
  return progress.clauses
}

const fresh = { link: null, last: null, asked: false, quoted: false, unknown: false } as const

function takeNoun(progress: Progress, noun: Noun): void {
  const { clause, link, asked, unknown } = progress
  if (unknown && (clause.verb !== null || clause.nouns.length > 0 || link !== null)) clause.broken = true
  clause.nouns.push({ noun, link, asked: asked && noun.quantity === null, beforeVerb: clause.verb === null })
  Object.assign(progress, { link: null, asked: false, last: null })
}

/** Takes `it` for the one token of the clauses before, without its quantity, which is counted there. */
function takeIt(progress: Progress): void {
  const nouns = progress.clauses.flatMap((clause) => clause.nouns.map(({ noun }) => noun))
  const names = new Set(nouns.map(({ token }) => token.name))
  const [first] = nouns
  if (first === undefined) return
  if (names.size === 1) takeNoun(progress, { token: first.token, quantity: null, money: null, isUnread: false })
  else progress.clause.refers = true
}

function takeVerb(progress: Progress, grammar: Grammar, verb: Verb): void {
  if (startsClause(grammar, progress.clause, verb)) endClause(progress, grammar)
  const { clause } = progress
  // A word in front of the verb is none itself.
  if (clause.nouns.length === 0) progress.unknown = false
  if (clause.verb === null || verb === 'sold' || !lexical.has(clause.verb)) clause.verb = verb
  Object.assign(progress, { link: null, asked: false, last: verb })
}

function endClause(progress: Progress, { verbFinal }: Grammar): void {
  const { clause, unknown } = progress
  // An unknown word may be the verb: at any place without another, behind the nouns where verbs stand there.
  if (unknown && (clause.verb === null || (verbFinal && clause.nouns.length > 0))) clause.broken = true
  progress.clauses.push(clause)
  Object.assign(progress, { clause: emptyClause(), ...fresh })
}

/** True of `for 2 eth`, which goes on behind a comma: `for 2 eth, how much usdc do i get`. */
function leadsOn({ verb, nouns }: Clause): boolean {
  return verb === null && nouns.length === 1 && leads.has(nouns[0]?.link ?? '')
}

function emptyClause(): Clause {
  return {
    verb: null,
    nouns: [],
    numbers: [],
    asks: false,
    negated: false,
    refers: false,
    isUnread: false,
    unknown: false,
    broken: false,
  }
}

const links: ReadonlySet<string> = new Set<Link>([
  'to',
  'for',
  'against',
  'from',
  'with',
  'in',
  'of',
  'worth',
  'right',
  'left',
  'both',
])

/** Links of a noun in front of its clause. */
const leads: ReadonlySet<string> = new Set<Link>(['for', 'with', 'from', 'in', 'against'])

function isLink(kind: string): kind is Link {
  return links.has(kind)
}

const verbs: ReadonlySet<string> = new Set<Verb>([
  'sell',
  'swap',
  'sold',
  'pay',
  'buy',
  'get',
  'need',
  'own',
  'cost',
  'yield',
  'be',
  'move',
])

function isVerb(kind: string): kind is Verb {
  return verbs.has(kind)
}

/** True where a verb cannot belong to the clause, which has one already. */
function startsClause({ verbFinal }: Grammar, { verb, nouns }: Clause, next: Verb): boolean {
  if (verb === null) return false
  if (next === 'sold') return !['get', 'need', 'own', 'be', 'pay'].includes(verb)
  // `how much do i have to pay`, `how much do i need to spend`
  const helps = verb === 'own' || (verb === 'need' && ['pay', 'sell', 'swap', 'own'].includes(next))
  if (nouns.length === 0 || (helps && nouns.every(({ beforeVerb }) => beforeVerb))) return false
  return verbFinal
    ? lexical.has(verb) && lexical.has(next) && verb !== next
    : verb !== next || nouns.some(({ beforeVerb }) => !beforeVerb)
}

/** The sides of the nouns of a clause. */
function factsOf(clause: Clause): Fact[] {
  const { nouns, verb, broken } = clause
  const sides = broken
    ? nouns.map(() => null)
    : (arrowSides(clause) ?? (verb === null ? plainSides(clause) : verbSides(clause, verb)))
  return nouns.map(({ noun }, index) => ({ noun, side: sides[index] ?? null }))
}

type Sides = readonly (Side | null)[]

/** `eth -> usdc` and `usdc <- 1 eth`; with a verb of buying they prove nothing. */
function arrowSides({ nouns, verb }: Clause): Sides | null {
  const arrow = nouns.find(({ link }) => link === 'right' || link === 'left' || link === 'both')?.link
  if (arrow === undefined || arrow === null) return null
  const fits = verb === null || verb === 'swap' || verb === 'sell' || verb === 'be'
  const [first, second] = nouns
  if (!fits || nouns.length !== 2 || arrow === 'both' || second?.link !== arrow || (first?.link ?? null) !== null)
    return nouns.map(() => null)
  if (verb === 'sell' && arrow === 'left') return nouns.map(() => null)
  return arrow === 'right' ? ['sold', 'bought'] : ['bought', 'sold']
}

/** The side of a token that stands alone, as in a follow-up: `and in wbtc?` */
const loneSides: Readonly<Record<string, Side>> = { to: 'bought', in: 'bought', from: 'sold' }

/** The sides in a clause without a verb, such as `2 eth to usdc`, `usdc for 2 eth` and `how much usdc for 2 eth`. */
function plainSides({ nouns, asks }: Clause): Sides {
  const [first, second] = nouns
  if (first === undefined) return []
  if (second === undefined) return [loneSides[first.link ?? ''] ?? null]
  if (nouns.length > 2) return nouns.map(() => null)
  const counted = nouns.map(({ noun }) => noun.quantity !== null)
  const pair = `${first.link ?? ''} ${second.link ?? ''}`
  const forward: Sides = ['sold', 'bought']
  const backward: Sides = ['bought', 'sold']
  if (first.asked && ['for', 'from', 'with', 'against'].includes(second.link ?? '')) return backward
  if (second.asked && second.link === null && leads.has(first.link ?? '')) return forward
  switch (pair.trim()) {
    case 'to':
    case 'from to':
    case 'of to':
    case 'with to':
      return forward
    case 'in':
    case 'against':
      return counted[0] || !counted[1] ? forward : [null, null]
    case 'from':
    case 'to from':
    case 'to with':
      return backward
    case 'with':
      return counted[0] && !asks ? [null, null] : backward
    case 'for':
      return counted[1] && !counted[0] ? backward : [null, null]
    case 'for in':
      return forward
    default:
      return [null, null]
  }
}

/** The sides that a verb gives to what it governs. */
function verbSides(clause: Clause, verb: Verb): Sides {
  switch (verb) {
    case 'sell':
    case 'swap':
    case 'sold':
    case 'pay':
      return clause.nouns.map((noun) => sideOfSold(clause, verb, noun))
    case 'buy':
    case 'get':
    case 'need':
      return clause.nouns.map((noun) => sideOfBought(clause, verb, noun))
    case 'own':
    case 'move':
      return clause.nouns.map(({ link, asked }) => (asked ? 'bought' : link === null || link === 'of' ? 'sold' : null))
    case 'cost':
      return clause.nouns.map(({ link, asked }) => (asked || link === 'in' ? 'sold' : link === null ? 'bought' : null))
    case 'be':
    case 'yield':
      return clause.nouns.map((noun) => sideOfWorth(clause, noun))
  }
}

function objectsOf({ nouns }: Clause): Placed[] {
  const objects = nouns.filter(({ link }) => link === null)
  // `swap weth to usdc - 2 weth` names one object twice.
  const first = (name: string) => objects.findIndex(({ noun }) => noun.token.name === name)
  return objects.filter(({ noun }, at) => first(noun.token.name) === at)
}

function sideOfSold(clause: Clause, verb: Verb, { link }: Placed): Side | null {
  const objects = objectsOf(clause)
  const pays = verb === 'pay'
  switch (link) {
    case null:
      return objects.length === 1 ? 'sold' : null
    case 'to':
    case 'in':
    case 'against':
    case 'for':
      return 'bought'
    case 'from':
      return objects.length === 0 ? 'sold' : null
    case 'of':
      return objects.length === 0 ? 'sold' : null
    case 'with':
      return pays ? 'sold' : verb === 'swap' && objects.length === 1 ? 'bought' : null
    default:
      return null
  }
}

function sideOfBought(clause: Clause, verb: Verb, { link, asked, beforeVerb }: Placed): Side | null {
  const objects = objectsOf(clause)
  const others = clause.nouns.length > 1
  // `how much usdc do i need for 2 eth`, in contrast to `i need usdc for 2 eth`.
  if (verb === 'need' && objects.some((object) => object.asked))
    return asked ? 'sold' : link === 'for' || link === 'to' ? 'bought' : null
  switch (link) {
    case null:
      if (objects.length === 1) return beforeVerb && clause.asks && !asked && others ? 'sold' : 'bought'
      // `how much usdc does 2 eth buy`
      return asked
        ? 'bought'
        : objects.length === 2 && beforeVerb && objects.some((object) => object.asked)
          ? 'sold'
          : null
    case 'for':
    case 'from':
    case 'with':
    case 'against':
      return 'sold'
    case 'of':
      return objects.length === 0 ? 'bought' : null
    case 'in':
      return objects.length === 0 || objects.every(({ beforeVerb: before, asked: isAsked }) => before && !isAsked)
        ? 'bought'
        : null
    default:
      return null
  }
}

/** `2 eth is how much usdc`, `what are 2 eth in usdc`, `how much usdc is 2 eth`. */
function sideOfWorth(clause: Clause, { link, asked }: Placed): Side | null {
  const objects = objectsOf(clause)
  if (asked) return 'bought'
  if (link === 'in' || link === 'to') return objects.length === 1 && !objects[0]?.asked ? 'bought' : null
  if (link !== null && link !== 'for' && link !== 'of') return null
  return clause.nouns.length === 2 ? 'sold' : null
}
