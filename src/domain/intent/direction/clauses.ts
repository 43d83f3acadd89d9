import { type Grammar, type Link, links, type Verb, verbs } from './grammar.ts'
import type { Quantity } from './quantity.ts'
import type { Item, Noun } from './sentence.ts'

/** A noun in its clause. */
export type Placed = { noun: Noun; link: Link | null; asked: boolean; beforeVerb: boolean }

/** A part of a sentence with one verb or none. */
export type Clause = {
  verb: Verb | null
  nouns: Placed[]
  /** Quantities without a token, right behind a verb or not. */
  numbers: { quantity: Quantity | null; behind: Verb | null }[]
  asks: boolean
  negated: boolean
  /** True behind `if` and `when`. */
  isIf: boolean
  /** True of a word that may turn the sides round. */
  isUnclear: boolean
  /** True where `it` may be one of several tokens. */
  refers: boolean
  /** True where a fraction stands that belongs to no token. */
  isUnread: boolean
  /** True where it has a word that nobody knows. */
  unknown: boolean
  /** True where such a word stands behind the last noun. */
  unknownBehind: boolean
  /** True where such a word could change the meaning. */
  broken: boolean
}

/** Verbs that say by themselves what is done with a token; the others may help one of them. */
export const lexical: ReadonlySet<Verb> = new Set(['sell', 'swap', 'pay', 'settle', 'buy', 'move', 'sold'])

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
}

/** Splits a sentence into clauses with one verb each. */
export function clausesOf(grammar: Grammar, items: readonly Item[]): Clause[] {
  const progress: Progress = { clauses: [], clause: emptyClause(), ...fresh }
  for (const item of items) {
    const { quoted, asked } = progress
    progress.quoted = false
    if (item.kind === 'noun') takeNoun(progress, item.noun)
    else if (item.kind === 'it') takeIt(progress)
    else if (item.kind === 'number') takeNumber(progress, item.quantity)
    else if (item.kind === 'cut') {
      if (!leadsOn(progress.clause)) endClause(progress, grammar)
    } else if (item.kind === 'if') {
      endClause(progress, grammar)
      progress.clause.isIf = true
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
      if (item.kind === 'fraction' || item.kind === 'except') progress.clause.isUnread = true
      if (item.kind === 'unclear') progress.clause.broken = progress.clause.isUnclear = true
      if (item.kind === 'unknown') takeUnknown(progress.clause)
      if (item.kind === 'not') progress.clause.negated = true
      Object.assign(progress, { quoted, asked: false })
    }
  }
  endClause(progress, grammar)
  return progress.clauses
}

const fresh = { link: null, last: null, asked: false, quoted: false } as const

/** `sell 500` counts what is sold, and so does the share of `cut my eth by 20%`. */
function takeNumber({ clause, last }: Progress, quantity: Quantity | null): void {
  clause.numbers.push({ quantity, behind: last ?? (quantity?.share == null ? null : clause.verb) })
}

function takeNoun(progress: Progress, noun: Noun): void {
  const { clause, link, asked } = progress
  if (clause.unknown) clause.broken = true
  clause.unknownBehind = false
  clause.nouns.push({ noun, link, asked: asked && noun.quantity === null, beforeVerb: clause.verb === null })
  Object.assign(progress, { link: null, asked: false, last: null })
}

function takeUnknown(clause: Clause): void {
  clause.unknown = true
  if (clause.nouns.length > 0) clause.unknownBehind = true
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
  // `sell or buy`, `buy/sell`
  if (clause.nouns.length === 0 && isOther(clause.verb, verb)) clause.broken = clause.isUnclear = true
  // `I sold 1 weth`, `ich habe 1 weth getauscht`: it is done.
  if (verb === 'sold' && (clause.verb === 'own' || (clause.verb === null && clause.nouns.length === 0)))
    clause.broken = clause.isUnclear = true
  if (clause.verb === null || verb === 'sold' || !lexical.has(clause.verb)) clause.verb = verb
  Object.assign(progress, { link: null, asked: false, last: verb })
}

/** True of two verbs of which one sells and the other one buys. */
function isOther(left: Verb | null, right: Verb): boolean {
  const sells = (verb: Verb | null) => verb === 'sell' || verb === 'swap'
  return (left === 'buy' && sells(right)) || (right === 'buy' && sells(left))
}

function endClause(progress: Progress, { verbFinal }: Grammar): void {
  const { clause } = progress
  // An unknown word may be the verb: at any place without another, behind the nouns where verbs stand there.
  if (clause.unknown && (clause.verb === null || (verbFinal && clause.nouns.length > 0))) clause.broken = true
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
    isIf: false,
    refers: false,
    isUnclear: false,
    isUnread: false,
    unknown: false,
    unknownBehind: false,
    broken: false,
  }
}

/** Links of a noun in front of its clause. */
export const leads: ReadonlySet<string> = new Set<Link>(['for', 'with', 'from', 'in', 'against'])

const linkKinds: ReadonlySet<string> = new Set(links)
const verbKinds: ReadonlySet<string> = new Set(verbs)

function isLink(kind: string): kind is Link {
  return linkKinds.has(kind)
}

function isVerb(kind: string): kind is Verb {
  return verbKinds.has(kind)
}

/** True where a verb cannot belong to the clause, which has one already. */
function startsClause({ verbFinal }: Grammar, { verb, nouns }: Clause, next: Verb): boolean {
  if (verb === null) return false
  if (next === 'sold') return !['get', 'need', 'own', 'be', 'pay', 'settle'].includes(verb)
  // `how much do i have to pay`, `how much do i need to spend`
  const helps = verb === 'own' || (verb === 'need' && ['pay', 'settle', 'sell', 'swap', 'own'].includes(next))
  if (nouns.length === 0 || (helps && nouns.every(({ beforeVerb }) => beforeVerb))) return false
  return verbFinal
    ? lexical.has(verb) && lexical.has(next) && verb !== next
    : verb !== next || nouns.some(({ beforeVerb }) => !beforeVerb)
}
