import { decimalOf } from '../../values/decimals.ts'
import type { Mention } from '../reading/mentions.ts'
import { dollarTokens } from '../reading/names.ts'
import { phraseAt } from '../reading/phrases.ts'
import type { Word } from '../reading/words.ts'
import type { Grammar, Kind } from './grammar.ts'
import { type Counted, type Quantity, type Reading, readQuantity, tokenBehind, withTail } from './quantity.ts'

/** A token as a sentence names it. `money` is the token in which the worth of a quantity is given. */
export type Noun = {
  token: Mention
  quantity: Quantity | null
  money: Mention | null
  /** True where a number stands with it that cannot be read for certain, such as `1.500`. */
  isUnread: boolean
}

/** A sentence as one language reads it: nouns, numbers without a token, and what the other words mean. */
export type Item =
  | { kind: 'noun'; noun: Noun }
  | { kind: 'number'; quantity: Quantity | null }
  /** A word that nobody knows, one of something else such as a chain, or a fraction without a token. */
  | { kind: Kind | 'unknown' | 'apart' | 'fraction' }

/** The items of a text in one language, and how many of its words that language knows. */
type Sentence = { items: readonly Item[]; known: number }

export function sentenceIn(grammar: Grammar, reading: Reading): Sentence {
  const { words, taken } = reading
  const items: Item[] = []
  let known = 0
  for (let at = 0; at < words.length; ) {
    if (taken.has(at)) {
      const told = phraseAt(grammar.kinds, words, at)
      items.push({ kind: told?.meaning === 'unclear' ? 'unclear' : 'apart' })
      at += 1
      continue
    }
    const phrase = phraseAt(grammar.kinds, words, at)
    const found = isFour(grammar, reading, at, items.at(-1)) ? null : readNoun(grammar, reading, at)
    // `mi dai` and `4` are phrases, though their words could be a token and a number.
    if (phrase !== null && (found === null || phrase.next > at + 1) && !(found !== null && found.next > phrase.next)) {
      items.push({ kind: phrase.meaning })
      known += words[at]?.kind === 'mark' ? 0 : isLoan(grammar, words[at]) ? 1 : 2 * (phrase.next - at)
      at = phrase.next
    } else if (found !== null) {
      items.push(found.item)
      known += 2 * knownIn(grammar, words, at, found.next)
      at = found.next
    } else if (words[at]?.kind !== 'word') at += 1
    else {
      const kind = misspelt(grammar, words[at]?.lower ?? '')
      // Noise is not worth a guess: what is misspelt may as well be a verb.
      const isMeant = kind !== undefined && kind !== 'noise'
      items.push({ kind: isMeant ? kind : 'unknown' })
      known += isMeant ? 0.1 : 0
      at += 1
    }
  }
  return {
    items: joined(items.map((item, at) => (isCut(item, items[at + 1]) ? { kind: 'number', quantity: null } : item))),
    known,
  }
}

/** What a word means that differs by a letter from a known one with the same first letter. */
function misspelt({ kinds, correct }: Grammar, word: string): Kind | undefined {
  const meant = correct(word)
  // A letter for another makes a short word another word: `hate`, `have`.
  const isOther =
    word.length < 5 && meant.length === word.length && [...meant].sort().join() !== [...word].sort().join()
  return meant[0] === word[0] && !isOther ? kinds.get(meant) : undefined
}

/** True of a number in front of a word that nobody knows, which may be its unit: `2 crore usdc`. */
function isCut(item: Item, next: Item | undefined): boolean {
  return item.kind === 'number' && next?.kind === 'unknown'
}

/** How many words of a number or a share its language knows. */
function knownIn(grammar: Grammar, words: readonly Word[], from: number, to: number): number {
  let known = 0
  for (let at = from; at < to; ) {
    const named = phraseAt(grammar.shares, words, at) ?? phraseAt(grammar.numbers, words, at)
    known += named === null ? 0 : named.next - at
    at = named?.next ?? at + 1
  }
  return known
}

/** True of an English word that the other languages use too. */
function isLoan({ language }: Grammar, word: Word | undefined): boolean {
  return language !== 'en' && word?.lower === 'swap'
}

/** True of `4` for `for`: before another number, or between two tokens. */
function isFour({ language }: Grammar, { words, tokens }: Reading, at: number, before: Item | undefined): boolean {
  if (language !== 'en' || words[at]?.text !== '4') return false
  const next = words[at + 1]
  // `4 500` is a number, or nobody knows.
  if (/^\d{3}$/.test(next?.text ?? '')) return false
  const counts = next?.kind === 'number' || ['half', 'a', 'an', 'my', 'some'].includes(next?.lower ?? '')
  return (counts && next?.glued !== true) || (before?.kind === 'noun' && tokens.has(at + 1))
}

/** The noun or the number that begins at a word. */
function readNoun(grammar: Grammar, reading: Reading, at: number): { item: Item; next: number } | null {
  const { words, tokens } = reading
  const sign = words[at]?.lower === '$' ? tokens.get(at) : undefined
  const counted = readQuantity(grammar, reading, sign === undefined ? at : at + 1)
  if (sign !== undefined && counted !== null) return nounOf(sign, counted.quantity, counted.next, counted)
  const token = counted === null ? tokens.get(at) : tokenBehind(grammar, reading, counted.next)
  if (counted === null) return token == null ? null : nounOf(token, null, token.next)
  if (token != null) {
    const { quantity } = counted
    // `un eth et demi`
    const value = quantity?.value == null ? null : decimalOf(quantity.value)
    const whole =
      value === null ? { quantity, next: token.next } : withTail(grammar, words, { value, next: token.next })
    return nounOf(token, whole.quantity, whole.next, counted)
  }
  const isLost = counted.quantity === null && words[at]?.kind === 'word'
  const item: Item = isLost ? { kind: 'fraction' } : { kind: 'number', quantity: counted.quantity }
  return { item, next: counted.next }
}

function nounOf(token: Mention, quantity: Quantity | null, next: number, counted: Counted | null = null) {
  const noun = { token, quantity, money: null, isUnread: counted !== null && quantity === null }
  return { item: { kind: 'noun' as const, noun }, next }
}

/** Joins `500 usdc worth of eth`, `500 usdc of eth` and `eth worth 500 usdc` into one noun, whose worth is given. */
function joined(items: readonly Item[]): Item[] {
  const found: Item[] = []
  for (let at = 0; at < items.length; at += 1) {
    const worth = worthAt(items, at)
    found.push(worth?.item ?? (items[at] as Item)) // within the length
    at = (worth?.next ?? at + 1) - 1
  }
  return found
}

/** The noun whose worth is given from an item on, and the index behind it. */
function worthAt(items: readonly Item[], from: number): { item: Item; next: number } | null {
  // `the equivalent of 250 usdc of eth` says twice that it is a worth.
  const at = items[from]?.kind === 'worth' ? from + 1 : from
  const [first, second] = [items[at], items[at + 1]]
  if (first?.kind !== 'noun' || second === undefined) return null
  const leads = ['worth', 'of', ...(at > from ? ['in', 'from'] : [])]
  if (isMoney(first) && leads.includes(second.kind)) {
    let of = items[at + 2]?.kind === 'of' ? at + 3 : at + 2
    while (['mine', 'noise'].includes(items[of]?.kind ?? '')) of += 1
    const noun = items[of]
    if (noun?.kind === 'noun' && noun.noun.quantity === null)
      return { item: worthOf(noun.noun, first.noun), next: of + 1 }
  }
  const third = items[at + 2]
  const isValued = second.kind === 'worth' && first.noun.quantity === null && third !== undefined && isMoney(third)
  return isValued ? { item: worthOf(first.noun, third.noun), next: at + 3 } : null
}

function isMoney(item: Item): item is Item & { kind: 'noun' } {
  return item.kind === 'noun' && dollarTokens.includes(item.noun.token.name) && item.noun.quantity?.value != null
}

function worthOf({ token }: Noun, money: Noun): Item {
  const quantity: Quantity = { value: money.quantity?.value ?? null, share: null, currency: 'usd' }
  return { kind: 'noun', noun: { token, quantity, money: money.token, isUnread: false } }
}
