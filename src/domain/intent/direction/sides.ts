import { type Clause, leads, type Placed } from './clauses.ts'
import type { Verb } from './grammar.ts'
import type { Noun } from './sentence.ts'

/** The side of a swap on which a token stands. */
export type Side = 'sold' | 'bought'

/** A noun and its side, null where it is open. */
export type Fact = { noun: Noun; side: Side | null }

/** The sides of the nouns of a clause. */
export function factsOf(clause: Clause): Fact[] {
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
  const pair = `${first.link ?? '-'} ${second.link ?? '-'}`
  const forward: Sides = ['sold', 'bought']
  const backward: Sides = ['bought', 'sold']
  if (first.asked && ['for', 'from', 'with', 'against'].includes(second.link ?? '')) return backward
  if (second.asked && second.link === null && leads.has(first.link ?? '')) return forward
  switch (pair) {
    case '- to':
    case 'from to':
    case 'of to':
    case 'with to':
      return forward
    case '- in':
    case '- against':
      return counted[0] || !counted[1] ? forward : [null, null]
    case '- from':
    case 'to from':
    case 'to with':
      return backward
    case '- with':
      return counted[0] && !asks ? [null, null] : backward
    case '- for':
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
    case 'settle':
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
  const pays = verb === 'pay' || verb === 'settle'
  switch (link) {
    case null:
      return objects.length === 1 ? 'sold' : null
    case 'in':
      // `pay 100 usdc in weth` may sell either.
      return verb === 'settle' ? null : 'bought'
    case 'to':
    case 'against':
    case 'for':
      return 'bought'
    case 'from':
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
