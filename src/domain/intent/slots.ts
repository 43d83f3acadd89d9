import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type Direction, readDirection } from './direction/read-direction.ts'
import { groupsOf } from './lexicon.ts'
import { type Asked, readQuestion } from './question/read-question.ts'
import { type Mention, readMentions } from './reading/mentions.ts'
import { readNumber } from './reading/numbers.ts'
import { type Period, readPeriod } from './reading/period.ts'
import { type Percentage, readPercentage, readSlippage } from './reading/slippage.ts'
import type { Vocabulary } from './reading/vocabulary.ts'
import { stemOf, type Word, wordsOf } from './reading/words.ts'

/** What a text names, always with the same keys; null or empty where it names nothing. */
export type Slots = OutputOf<typeof contract.trading.previewIntent>['entities']

/** A text with its words, the things that they name, and its slots. */
export type ReadText = {
  words: readonly Word[]
  mentions: readonly Mention[]
  slots: Slots
  direction: Direction
  /** What it asks; a text may trade and ask nothing. */
  asked: Asked
}

/** The most percentages of a text that are read. */
const mostPercentages = 16

/** Reads everything that a text names. Pure; the time is linear in the length of the text. */
export function readText(text: string, vocabulary: Vocabulary, now: Date): ReadText {
  const words = wordsOf(text)
  const mentions = readMentions(words, vocabulary)
  const percentages = percentagesOf(words)
  const slippage = readSlippage(words, percentages)
  const period = readPeriod(words, now)
  const recipient = recipientOf(words, mentions, vocabulary)
  const chains = named(mentions, 'chain')
  const traded = mentions.filter((mention) => isTraded(mention) && mention.name !== recipient)
  const wallet = walletOf(words) ?? sourceOf(words, mentions, period)
  const taken = new Set([slippage, period, wallet, ...mentions.filter((one) => !isTraded(one))].flatMap(placesOf))
  const reading = { words, tokens: new Map(traded.map((one) => [one.at, one])), percentages, taken }
  const direction = readDirection(reading)
  // Where the sides are in doubt, what an amount counts is too.
  const counted = direction.doubt === null ? direction.named.find(({ quantity }) => quantity !== null) : undefined
  const quantity = direction.quantity ?? counted?.quantity ?? null
  const money = direction.money ?? counted?.money ?? null
  const tokens = traded.filter((mention) => mention !== money)
  const { tokenIn, tokenOut } = wrapping({ tokenIn: direction.sold, tokenOut: direction.bought }, words, vocabulary)
  const slots: Slots = {
    amount: quantity?.value ?? null,
    amount_of: quantity === null ? null : direction.counts === 'bought' ? 'token_out' : 'token_in',
    amount_currency: quantity?.value == null ? null : quantity.currency,
    share: quantity?.share ?? null,
    token_in: tokenIn,
    token_out: tokenOut,
    tokens: unique(tokens.map(({ name }) => name)),
    chain: chains[0] ?? null,
    chains,
    addresses: named(mentions, 'address'),
    recipient,
    transactions: named(mentions, 'transaction'),
    slippage_bps: slippage?.bps ?? null,
    protocols: named(mentions, 'protocol'),
    wallet: wallet?.name ?? null,
    since: period?.since.toISOString() ?? null,
    until: period?.until?.toISOString() ?? null,
  }
  return { words, mentions, slots, direction, asked: readQuestion(words, mentions, vocabulary, now) }
}

function percentagesOf(words: readonly Word[]): Percentage[] {
  const found: Percentage[] = []
  for (let at = 0; at < words.length && found.length < mostPercentages; at += 1) {
    const percentage = readPercentage(words, at)
    if (percentage === null) continue
    found.push(percentage)
    at = percentage.next - 1
  }
  return found
}

/** `wrap 1 eth` and `unwrap 1 weth` name one token, and mean the native and the wrapped one. */
function wrapping(
  { tokenIn, tokenOut }: { tokenIn: Mention | null; tokenOut: Mention | null },
  words: readonly Word[],
  { nativeSymbol, wrappedSymbol }: Vocabulary,
): { tokenIn: string | null; tokenOut: string | null } {
  const says = (verb: string) => words.some(({ lower }) => lower === verb)
  const sides = { tokenIn: tokenIn?.name ?? null, tokenOut: tokenOut?.name ?? null }
  if (sides.tokenOut !== null || sides.tokenIn === null) return sides
  if (says('wrap') && sides.tokenIn === nativeSymbol) return { ...sides, tokenOut: wrappedSymbol }
  return says('unwrap') ? { tokenIn: wrappedSymbol, tokenOut: nativeSymbol } : sides
}

/** The name of a wallet, with the indexes of its words. */
type Wallet = { name: string; at: number; next: number }

/** The name of the wallet to pay from: `from wallet savings`, `from my savings wallet`. */
function walletOf(words: readonly Word[]): Wallet | null {
  for (const [at, { lower, kind }] of words.entries()) {
    if (!['from', 'using', 'with', 'in', 'of'].includes(lower)) continue
    const from = ['my', 'the'].includes(words[at + 1]?.lower ?? '') ? at + 2 : at + 1
    const [first, second] = [words[from], words[from + 1]]
    if (kind !== 'word' || first?.kind !== 'word') continue
    if (first.lower === 'wallet' && second?.kind === 'word' && !plain.has(second.lower))
      return { name: second.text, at: from, next: from + 2 }
    if (second?.lower === 'wallet' && !plain.has(first.lower)) return { name: first.text, at: from, next: from + 2 }
  }
  return null
}

/** `from vault`, `from my vault`: a name after `from` that means nothing else is the name of a wallet. */
function sourceOf(words: readonly Word[], mentions: readonly Mention[], period: Period | null): Wallet | null {
  const taken = new Set([...mentions, period].flatMap(placesOf))
  for (const [at, { lower }] of words.entries()) {
    if (lower !== 'from') continue
    const from = ['my', 'the', 'our'].includes(words[at + 1]?.lower ?? '') ? at + 2 : at + 1
    const name = words[from]
    const means = taken.has(from) || readNumber(words, from) !== null
    if (name?.kind !== 'word' || means || plain.has(name.lower) || noSource.has(name.lower)) continue
    if (groupsOf(stemOf(name.lower)).length === 0) return { name: name.text, at: from, next: from + 1 }
  }
  return null
}

/** Words that are not the name of a wallet after `from`. */
const noSource = new Set(
  'me us here there then them what which any each every scratch zero home both either one'.split(' '),
)

/** Words near `wallet` that are not the name of one. */
const plain = new Set(
  (
    'wallet my the a this that sell buy swap to for into please and on is now i you it your our all whole convert at with ' +
    'in of from worth balance value today'
  ).split(' '),
)

function isTraded({ kind }: Mention): boolean {
  return kind === 'token' || kind === 'address'
}

function named(mentions: readonly Mention[], kind: Mention['kind']): string[] {
  return unique(mentions.filter((mention) => mention.kind === kind).map(({ name }) => name))
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}

function placesOf(found: { at: number; next: number } | null): number[] {
  return found === null ? [] : Array.from({ length: found.next - found.at }, (_place, step) => found.at + step)
}

const sending = new Set('send sending transfer pay wire forward withdraw tip give gift'.split(' '))
/** Words that end the part of a sentence that `to` begins. `at` does not: it says where the recipient is. */
const prepositions = new Set('for from with using by in on via into through'.split(' '))

/** The address of a payment's recipient, which is not a token: `send 1 eth to 0x…`, `tip 0x… 5 usdc`; else null. */
function recipientOf(
  words: readonly Word[],
  mentions: readonly Mention[],
  { addresses }: Pick<Vocabulary, 'addresses'>,
): string | null {
  const paid = new Map(
    mentions
      .filter(({ kind, name }) => kind === 'address' && !addresses.has(name.toLowerCase()))
      .map(({ at, name }) => [at, name]),
  )
  let sends = false
  let leads = false
  for (const [at, { lower }] of words.entries()) {
    const name = paid.get(at)
    if (name !== undefined && (leads || sending.has(words[at - 1]?.lower ?? ''))) return name
    if (sending.has(lower)) sends = true
    else if (lower === 'to') leads = sends
    else if (prepositions.has(lower)) leads = false
  }
  return null
}
