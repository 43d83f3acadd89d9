import { dollarTokens } from '../../intent/names.ts'
import type { Slots } from '../../intent/slots.ts'
import { stemOf } from '../../intent/stems.ts'
import type { Vocabulary } from '../../intent/vocabulary.ts'
import { wordsOf } from '../../intent/words.ts'
import type { Message } from '../../ports/conversations.ts'
import { formatUnits, parseUnits } from '../../values/money.ts'
import { readSaid, type Said, type Topic } from './topics.ts'
import { unknownSubject } from './unknown-subject.ts'

/**
 * What is asked, with what earlier messages of the conversation said of it. `text` is the message that opened the topic,
 * `unknown` the name in it that means nothing here, where one stands for what it is about.
 */
export type Asked = { topic: Topic; trades: boolean; slots: Slots; text: string; unknown: string | null }

/** Messages of the caller that a follow-up may lean on. */
const mostMessages = 8

/** Words that change what was asked before without asking anything themselves. */
const leaning = new Set(
  (
    'and also what how about for with of on in to into the a an it that this those them my is ok okay now then but same ' +
    'again use make set try instead please pls way round around other reverse direction half quarter third all max slippage ' +
    'percent bps wallet from if only just rather change switch but no so hmm one more less up down yes at most amount ' +
    'worth dollars take second first everything would be does'
  )
    .split(' ')
    .map(stemOf),
)
const reversing = ['reverse', 'other way', 'opposite', 'other direction', 'vice versa', 'back again']
const pointing = new Set(['it', 'that', 'this', 'them', 'same', 'both'])

/** Reads the last message in the light of those before it; an answer of ours tells what a swap would have brought. */
export function readConversation(history: readonly Message[], text: string, vocabulary: Vocabulary, now: Date): Asked {
  let asked: Asked | null = null
  let answer = ''
  for (const { role, content } of [...history, { role: 'user' as const, content: text }].slice(-2 * mostMessages)) {
    if (role === 'assistant') {
      answer = content
      asked = asked === null ? null : withoutRefused(asked, content)
    } else asked = next(asked, readSaid(content, vocabulary, now), answer)
  }
  return asked ?? plainly(readSaid(text, vocabulary, now))
}

function plainly({ topic, routed, text }: Said): Asked {
  const { slots } = routed
  const unknown = slots.tokens.length > 0 ? null : unknownSubject(text, [...slots.chains, ...slots.protocols])
  return { topic, trades: routed.intent === 'trade', slots, text, unknown }
}

/** What was asked without the chain, where the answer was that there is none of its name. */
function withoutRefused(asked: Asked, answer: string): Asked {
  const refused = /\bchain\b.*\bconnected\b/.test(answer)
  return refused ? { ...asked, slots: { ...asked.slots, chain: null, chains: [] } } : asked
}

/** A message takes up the one before where it only changes something of it, or leaves open what that one named. */
function next(before: Asked | null, said: Said, answer: string): Asked {
  if (before === null || before.topic === 'declined') return plainly(said)
  const { slots } = said.routed
  if (isReversal(said.text) && before.topic === 'swap')
    return {
      ...before,
      slots: { ...reversed(before.slots, answer), ...given(slots, ['amount', 'share', 'slippage_bps']) },
    }
  if (isLeaning(said)) return { ...before, slots: isComplete(slots) ? slots : changed(before, slots, said) }
  const plain = plainly(said)
  if (plain.unknown !== null || isComplete(slots)) return plain
  if (said.topic === 'risk' && slots.tokens.length === 0)
    return { ...plain, slots: { ...slots, tokens: before.slots.tokens } }
  const points = [...said.stems].some((stem) => pointing.has(stem))
  const open = slots.tokens.length === 0 && (said.topic === 'swap' || said.topic === 'price')
  if (open && (points || slots.amount !== null || slots.share !== null))
    return {
      ...plain,
      slots: { ...before.slots, ...given(slots, ['amount', 'share', 'slippage_bps', 'chain']) },
    }
  return plain
}

/** A swap of which nothing is open. */
function isComplete({ amount, share, token_in, token_out }: Slots): boolean {
  return (amount ?? share) !== null && token_in !== null && token_out !== null
}

function isReversal(text: string): boolean {
  const lower = text.toLowerCase()
  return lower.length < 80 && reversing.some((words) => lower.includes(words))
}

/** Nothing but names, figures and words that point back, and at least one thing to change. */
function isLeaning({ text, routed: { slots } }: Said): boolean {
  const words = wordsOf(text)
  if (words.length > 16) return false
  const named = [...slots.tokens, ...slots.chains, ...slots.protocols, ...(slots.wallet === null ? [] : [slots.wallet])]
  const names = new Set(named.map((name) => name.toLowerCase()))
  const changes = names.size > 0 || slots.amount !== null || slots.share !== null || slots.slippage_bps !== null
  return (
    changes &&
    words.every((word) => word.kind !== 'word' || leaning.has(stemOf(word.lower)) || namesSome(names, word.lower))
  )
}

function namesSome(names: ReadonlySet<string>, word: string): boolean {
  return (
    [...names].some((name) => name.split(/[_ ]/).includes(word) || word.includes(name)) ||
    /^(ether|ethereum|bitcoin|btc|bucks|usd|uniswap|v\d)$/.test(word)
  )
}

/** The slots before with those that the message gives in their place. */
function changed({ topic, slots: before }: Asked, slots: Slots, { text, stems }: Said): Slots {
  const rest = given(slots, ['chain', 'chains', 'slippage_bps', 'protocols', 'wallet', 'since', 'until', 'addresses'])
  if (topic !== 'swap') return { ...before, ...rest, ...(slots.tokens.length > 0 ? { tokens: slots.tokens } : {}) }
  return { ...before, ...rest, ...sidesChanged(before, slots, text), ...amountChanged(before, slots, stems) }
}

/**
 * `to USDC` and `in WBTC` say what is wanted. A token by itself fills what is open, else it takes the place of the side
 * that is no dollar: after a price in dollars, `what about WBTC?` asks for its price in dollars.
 */
function sidesChanged(before: Slots, { token_in, token_out, tokens }: Slots, text: string): Partial<Slots> {
  if (token_in !== null && token_out !== null) return { token_in, token_out, tokens }
  const [token] = tokens
  if (token === undefined || token === before.token_in || token === before.token_out) return {}
  const said = token_out !== null || /\b(in|into|to)\b/i.test(text)
  const dollars = (name: string | null) => name !== null && dollarTokens.includes(name)
  const wanted = said || before.token_out === null || !dollars(before.token_out) || dollars(token)
  const sides = wanted && before.token_in !== null ? [before.token_in, token] : [token, before.token_out]
  const [paid = null, bought = null] = sides
  return { token_in: paid, token_out: bought, tokens: sides.filter((one) => one !== null) }
}

/** A new amount takes the place of the old one; `half of it` is half of the old one. */
function amountChanged(before: Slots, slots: Slots, stems: ReadonlySet<string>): Partial<Slots> {
  const { amount, share, amount_currency, tokens } = slots
  const counted = (token: string | undefined) =>
    token !== undefined && token === before.token_out ? 'token_out' : 'token_in'
  if (amount !== null) return { amount, share: null, amount_currency, amount_of: counted(tokens[0]) }
  if (share === null) return {}
  const part =
    before.amount !== null && [...stems].some((stem) => pointing.has(stem)) ? partOf(before.amount, share) : null
  return part === null ? { share, amount: null, amount_of: 'token_in', amount_currency: null } : { amount: part }
}

/** Digits behind the point that every token of dollars has. */
const usualDigits = 6

/** A share of an amount, rounded down to as many digits as the amount has, or the usual ones where those are more. */
function partOf(amount: string, share: string): string | null {
  const [above = '1', below = '1'] = share.split('/')
  const digits = Math.max(usualDigits, amount.split('.')[1]?.length ?? 0)
  const part = (parseUnits(amount, digits) * BigInt(above)) / BigInt(below)
  return part === 0n ? null : formatUnits(part, digits)
}

/** The swap back: of what the last answer said would come out, where it said so. */
function reversed(slots: Slots, answer: string): Slots {
  const brought = /gives about (\d+(?:\.\d+)?) (\w+)/.exec(answer)
  const amount = brought !== null && brought[2] === slots.token_out ? (brought[1] ?? null) : null
  const back = { token_in: slots.token_out, token_out: slots.token_in, tokens: [...slots.tokens].reverse() }
  return { ...slots, ...back, amount, share: null, amount_of: 'token_in', amount_currency: 'token_units' }
}

/** Those of the named slots that are given. */
function given<Key extends keyof Slots>(slots: Slots, keys: readonly Key[]): Partial<Slots> {
  const present = keys.filter((key) => {
    const value = slots[key]
    return Array.isArray(value) ? value.length > 0 : value !== null
  })
  return Object.fromEntries(present.map((key) => [key, slots[key]]))
}
