import { decimalOf, decimalText, shifted } from '../../values/decimals.ts'
import type { Mention } from '../reading/mentions.ts'
import { dollarTokens } from '../reading/names.ts'
import { readNumber } from '../reading/numbers.ts'
import { readShare } from '../reading/shares.ts'
import { type Percentage, percentageAt } from '../reading/slippage.ts'
import type { Word } from '../reading/words.ts'
import { type Grammar, type Kind, phraseAt } from './grammar.ts'

/** How much of a token: an exact `value` in its units or in dollars, or a `share` of what is held. */
export type Quantity = { value: string | null; share: string | null; currency: 'token_units' | 'usd' }

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
  /** A word that nobody knows, or one that belongs to something else, such as a chain. */
  | { kind: Kind | 'unknown' | 'apart' }

/** A text with what is read of it already. */
export type Reading = {
  words: readonly Word[]
  /** Mentions of tokens that may be traded, by the index of their first word. */
  tokens: ReadonlyMap<number, Mention>
  percentages: readonly Percentage[]
  /** Indexes of words that belong to something else. */
  taken: ReadonlySet<number>
}

/** The items of a text in one language, and how many of its words that language knows. */
export type Sentence = { items: readonly Item[]; known: number }

/** Words of a text that are read. */
const mostWords = 80

export function sentenceIn(grammar: Grammar, reading: Reading): Sentence {
  const { words, taken } = reading
  const items: Item[] = []
  let known = 0
  for (let at = 0; at < Math.min(words.length, mostWords); ) {
    if (taken.has(at)) {
      items.push({ kind: 'apart' })
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
      const named = phraseAt(grammar.shares, words, at) ?? phraseAt(grammar.numbers, words, at)
      known += named === null ? 0 : 2 * (named.next - at)
      at = found.next
    } else if (words[at]?.kind !== 'word') at += 1
    else {
      const kind = grammar.kinds.get(words[at]?.kind === 'word' ? grammar.correct(words[at]?.lower ?? '') : '')
      // Noise is not worth a guess: what is misspelt may as well be a verb.
      const isMeant = kind !== undefined && kind !== 'noise'
      items.push({ kind: isMeant ? kind : 'unknown' })
      known += isMeant ? 1 : 0
      at += 1
    }
  }
  return { items: joined(items), known }
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
  const counted = readQuantity(grammar, reading, at)
  const token = tokens.get(counted?.next ?? at)
  const sign =
    counted === null && token !== undefined && words[at]?.lower === '$' ? readQuantity(grammar, reading, at + 1) : null
  if (sign !== null && token !== undefined)
    return {
      item: { kind: 'noun', noun: { token, quantity: sign.quantity, money: null, isUnread: sign.quantity === null } },
      next: sign.next,
    }
  if (counted === null)
    return token === undefined
      ? null
      : { item: { kind: 'noun', noun: { token, quantity: null, money: null, isUnread: false } }, next: token.next }
  const owned = tokenBehind(grammar, reading, counted.next)
  if (owned === null) return { item: { kind: 'number', quantity: counted.quantity }, next: counted.next }
  return {
    item: {
      kind: 'noun',
      noun: { token: owned, quantity: counted.quantity, money: null, isUnread: counted.quantity === null },
    },
    next: owned.next,
  }
}

const subunits = new Map([
  ['wei', -18],
  ['gwei', -9],
])

/** The number or the share that begins at a word; without a quantity where its digits are ambiguous. */
function readQuantity(
  grammar: Grammar,
  { words, tokens, percentages }: Reading,
  at: number,
): { quantity: Quantity | null; next: number } | null {
  const ofShare = (share: string, next: number) => ({
    quantity: { value: null, share, currency: 'token_units' as const },
    next,
  })
  const part = phraseAt(grammar.shares, words, at)
  if (part !== null) return ofShare(part.meaning, part.next)
  const percentage = percentageAt(percentages, at)
  const behind = percentage === undefined ? undefined : grammar.kinds.get(words[percentage.next]?.lower ?? '')
  const share = readShare(words, at, percentages, behind === 'of' || behind === 'mine' || behind === 'from')
  if (share !== null) return ofShare(share.fraction, share.next)
  if (percentage !== undefined) return { quantity: null, next: percentage.next }
  const number = readNumber(words, at, grammar.language === 'en' ? 'comma' : 'none')
  if (number !== null) {
    const places = subunits.get(words[number.next]?.lower ?? '') ?? 0
    const value = number.value === null ? null : decimalText(shifted(number.value, places))
    return { quantity: value === null ? null : { value, share: null, currency: 'token_units' }, next: number.next }
  }
  const named = phraseAt(grammar.numbers, words, at)
  const word = named?.meaning
  const isArticle = ['a', 'an'].includes(words[at]?.lower ?? '') && grammar.language === 'en'
  if ((word === undefined && !isArticle) || tokenAfter(grammar, words, tokens, named?.next ?? at + 1) === null)
    return null
  const value = decimalOf(word === '1/2' ? '0.5' : word === '3/2' ? '1.5' : (word ?? '1'))
  return value === null
    ? null
    : { quantity: { value: decimalText(value), share: null, currency: 'token_units' }, next: named?.next ?? at + 1 }
}

/** The token that a number counts, over words such as `of my` between. */
function tokenBehind(grammar: Grammar, { words, tokens }: Reading, from: number): Mention | null {
  return tokenAfter(grammar, words, tokens, from)
}

function tokenAfter(
  grammar: Grammar,
  words: readonly Word[],
  tokens: ReadonlyMap<number, Mention>,
  from: number,
): Mention | null {
  for (let at = from; at < from + 3; at += 1) {
    const token = tokens.get(at)
    if (token !== undefined) return token
    const kind = grammar.kinds.get(words[at]?.lower ?? '')
    if (kind !== 'of' && kind !== 'mine' && !fillers.has(words[at]?.lower ?? '')) return null
  }
  return null
}

/** Words between a number and its token in any language. */
const fillers = new Set(
  'the more some units unit tokens token coins coin extra additional full own other stück'.split(' '),
)

/** Joins `500 usdc worth of eth`, `500 usdc of eth` and `eth worth 500 usdc` into one noun, whose worth is given. */
function joined(items: readonly Item[]): Item[] {
  const found: Item[] = []
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as Item // within the length
    // `the equivalent of 250 usdc of eth` says twice that it is a worth.
    if (item.kind === 'worth' && isWorthOf(items, at + 1)) continue
    const [second, third, fourth] = [items[at + 1], items[at + 2], items[at + 3]]
    if (item.kind === 'noun' && second?.kind === 'worth') {
      const of = third?.kind === 'of' ? fourth : third
      if (isMoney(item) && of?.kind === 'noun' && of.noun.quantity === null) {
        found.push(worthOf(of.noun, item.noun))
        at += third?.kind === 'of' ? 3 : 2
        continue
      }
      if (third !== undefined && isMoney(third) && item.noun.quantity === null) {
        found.push(worthOf(item.noun, third.noun))
        at += 2
        continue
      }
    }
    if (isMoney(item) && second?.kind === 'of' && third?.kind === 'noun' && third.noun.quantity === null) {
      found.push(worthOf(third.noun, item.noun))
      at += 2
      continue
    }
    found.push(item)
  }
  return found
}

function isWorthOf(items: readonly Item[], at: number): boolean {
  const [money, of] = [items[at], items[at + 1]]
  return money !== undefined && isMoney(money) && (of?.kind === 'of' || of?.kind === 'worth' || of?.kind === 'in')
}

function isMoney(item: Item): item is Item & { kind: 'noun' } {
  return item.kind === 'noun' && dollarTokens.includes(item.noun.token.name) && item.noun.quantity?.value != null
}

function worthOf({ token }: Noun, money: Noun): Item {
  const quantity: Quantity = { value: money.quantity?.value ?? null, share: null, currency: 'usd' }
  return { kind: 'noun', noun: { token, quantity, money: money.token, isUnread: false } }
}
