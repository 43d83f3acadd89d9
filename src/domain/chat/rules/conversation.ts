import type { Doubt, OpenSwap } from '../../intent/direction/question.ts'
import { followsUp, questionOfToken } from '../../intent/question/rules.ts'
import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import { stemOf, wordsOf } from '../../intent/reading/words.ts'
import type { Routed } from '../../intent/route-intent.ts'
import type { Slots } from '../../intent/slots.ts'
import { type Unable, unableIn } from '../../intent/unable.ts'
import type { AssistantState, HistoryMessage } from '../../ports/conversations.ts'
import { formatUnits, parseUnits } from '../../values/money.ts'
import { dayMs, type QuestionRequest } from '../questions/context.ts'
import { type ReadMessage, readMessage, type Topic } from './topics.ts'

/**
 * What the caller requests, completed from earlier messages of the conversation. `text` is the message that opened the
 * topic. `unknown` is a name in it that means nothing here and stands where the subject is expected.
 */
export type UserRequest = QuestionRequest & {
  topic: Topic
  trades: boolean
  /** What to ask before anything is quoted; null where the sides and the amount are plain. */
  doubt: Doubt | null
  /** What nothing here can do. */
  unable: Unable | null
}

/** What an answer was about, and what the swap that it quoted would return. */
export type ConversationState = { request: UserRequest; quoted: { token: string; amount: string } | null }

/** Names the shape of `ConversationState`. Change it with the shape: states of another format are not read. */
const format = 'embedded-rules/3'

/** Characters of a text that are stored for follow-ups. */
const storedCharacters = 2_000

/** Messages that a follow-up may refer to where no answer recorded a state. */
const mostMessages = 16

/** Words that change an earlier request and request nothing themselves. */
const followUpWords = new Set(
  (
    'and also what how about for with of on in to into the a an it that this those them my is ok okay now then but same ' +
    'again use make set try instead please pls way round around other reverse direction half quarter third all max slippage ' +
    'percent bps wallet from only just rather change switch but no so hmm one more less up down yes at most amount ' +
    'worth dollars take second first everything would be does'
  )
    .split(' ')
    .map(stemOf),
)
const reversals = ['reverse', 'other way', 'opposite', 'other direction', 'vice versa', 'back again']
const pronouns = new Set(['it', 'that', 'this', 'them', 'same', 'both'])

/** An exchange as an answer stores it. */
export function stateOf({ request, quoted }: ConversationState): AssistantState {
  return { format, data: { request: { ...request, text: request.text.slice(0, storedCharacters) }, quoted } }
}

/** Reads the last message in its context: the state of the last answer that has one, and the caller's messages since then. */
export function readConversation(
  history: readonly HistoryMessage[],
  text: string,
  vocabulary: Vocabulary,
  now: Date,
): UserRequest {
  const last = history.findLastIndex((message) => storedExchange(message) !== null)
  const { request: stored = null, quoted = null } = storedExchange(history[last]) ?? {}
  let request: UserRequest | null = stored
  for (const { role, content } of history.slice(last + 1).slice(1 - mostMessages))
    if (role === 'user') request = following(request, readMessage(content, vocabulary, now), quoted)
  return following(request, readMessage(text, vocabulary, now), quoted)
}

function storedExchange(message: HistoryMessage | undefined): ConversationState | null {
  const state = message?.facts?.state
  return state?.format === format ? (state.data as ConversationState) : null // `stateOf` has made it
}

function standalone({ topic, routed, text }: ReadMessage): UserRequest {
  const { asked, doubt, refusal } = routed
  const { classes, known, corrected, currency, count, unknown, language } = asked
  const about = { classes, known, corrected, currency, count, unknown, language }
  const slots = topic === 'swap' || topic === 'payment' ? routed.slots : slotsAsked(routed)
  // Words of a trade are read by the grammars, which know more of them.
  const isRead = topic === 'swap' && !routed.says.hedges
  const name = slots.tokens.length > 0 || unknown.length !== 1 || isRead ? null : (unknown[0] ?? null)
  const unable = refusal === 'forbidden' ? null : refusal
  return { topic, trades: routed.intent === 'trade', slots, text, unknown: name, about, doubt, unable }
}

/** The slots with what a question says of tokens and time: `price of eth in dollars` names one token. */
function slotsAsked({ asked: { tokens, period }, slots }: Routed): Slots {
  const since = period?.since.toISOString() ?? null
  return { ...slots, tokens: [...tokens], since, until: period?.until?.toISOString() ?? null }
}

/** The request without its chain, which is not connected: a follow-up does not name it again. */
export function withoutChain(request: UserRequest): UserRequest {
  return { ...request, slots: { ...request.slots, chain: null, chains: [] } }
}

/** A message continues the request before it where it only changes a part of it, or leaves open what that one named. */
function following(before: UserRequest | null, message: ReadMessage, quoted: ConversationState['quoted']): UserRequest {
  if (before === null || before.topic === 'declined') return standalone(message)
  const next = continued(before, message, quoted)
  if (next === null) return standalone(message)
  const unable = unableIn(message.text)
  const { negates } = message.routed.says
  // What takes back or bars a swap must not be read as a change of it.
  if (before.topic === 'swap' && (negates || unable !== null))
    return { ...standalone(message), topic: unable === null ? 'declined' : 'unable', unable }
  return next
}

/** The request before, as a message changes it; null where the message stands by itself. */
function continued(before: UserRequest, message: ReadMessage, quoted: ConversationState['quoted']): UserRequest | null {
  const { slots } = message.routed
  const isCounted = counts(slots)
  const questioned = before.topic === 'swap' ? null : questionContinued(before, message)
  if (questioned !== null) return questioned
  if (isReversal(message.text) && before.topic === 'swap') {
    if (isCounted || slots.tokens.length > 0) return { ...before, doubt: turnQuestion(before) }
    const back = { ...reversed(before.slots, quoted), ...given(slots, ['slippage_bps']) }
    return { ...before, slots: back, doubt: null }
  }
  const settled = before.doubt?.open == null ? null : settledBy(before.doubt.open, message)
  if (settled !== null) return { ...before, slots: { ...before.slots, ...settled }, doubt: null }
  if (before.topic === 'swap' && isFollowUp(message)) {
    const doubt =
      message.routed.doubt ?? sideQuestion(before, slots) ?? shareQuestion(before, message) ?? amountQuestion(message)
    return { ...before, slots: isComplete(slots) ? slots : changed(before, slots, message), doubt }
  }
  const alone = standalone(message)
  if (alone.unknown !== null || isComplete(slots)) return null
  if (message.topic === 'risk' && slots.tokens.length === 0)
    return { ...alone, slots: { ...slots, tokens: before.slots.tokens } }
  const lacksToken = slots.tokens.length === 0 && (message.topic === 'swap' || message.topic === 'price')
  if (!lacksToken || !(refersBack(message) || isCounted)) return null
  const part = { ...given(slots, ['slippage_bps', 'chain']), ...amountChanged(before.slots, slots, message.stems) }
  const doubt = alone.doubt ?? verbQuestion(before, message) ?? shareQuestion(before, message)
  return { ...alone, slots: { ...before.slots, ...part }, doubt }
}

/** The question before, or one about its tokens, as a message that is no question by itself changes it. */
function questionContinued(before: UserRequest, message: ReadMessage): UserRequest | null {
  const { classes, unknown } = message.routed.asked
  if (message.topic !== 'unclear') return null
  const { token_in, token_out } = message.routed.slots
  const isTrade = token_in !== null || token_out !== null
  if (!isTrade && followsUp(classes, unknown.length, before)) return refined(before, message)
  const { tokens } = before.slots
  const meant = tokens.length === 0 ? null : questionOfToken(classes, unknown.length)
  if (meant === null) return null
  // What is held is shown with its worth.
  if (meant === 'price' && before.topic === 'balance' && !classes.includes('price')) return before
  const alone = standalone({ ...message, topic: meant })
  return { ...alone, slots: { ...alone.slots, tokens } }
}

/** A question with what a follow-up changes of it: `and in WBTC?`, `and yesterday?`. */
function refined(before: UserRequest, message: ReadMessage): UserRequest | null {
  const { slots, about } = standalone({ ...message, topic: before.topic })
  const changed = given(slots, [
    'tokens',
    'since',
    'until',
    'chain',
    'chains',
    'protocols',
    'addresses',
    'transactions',
  ])
  const isSince = changed.since !== undefined ? { until: slots.until } : {}
  const asksBefore = about.classes.includes('before')
  const earlier = asksBefore ? spanBefore(before.slots, message.now) : {}
  if (earlier === null) return null
  const isNamed = about.unknown.length > 0 || about.classes.includes('default')
  const classes = [...before.about.classes.filter((name) => !(isNamed && name === 'default')), ...about.classes]
  return {
    ...before,
    slots: { ...before.slots, ...changed, ...isSince, ...earlier, ...(isNamed ? { wallet: null } : {}) },
    about: {
      ...about,
      classes: [...new Set(classes)],
      unknown: isNamed ? about.unknown : before.about.unknown,
      count: about.count ?? before.about.count,
    },
  }
}

/** The span of the same length before that of a question, where its end is plain: a day, or one with both ends. */
function spanBefore({ since, until }: Slots, now: Date): Partial<Slots> | null {
  if (since === null) return null
  const start = Date.parse(since)
  const isToday = since.slice(0, 10) === now.toISOString().slice(0, 10)
  if (until === null && !isToday) return null
  const length = until === null ? dayMs : Date.parse(until) - start
  return { since: new Date(start - length).toISOString(), until: since }
}

function refersBack({ stems }: Pick<ReadMessage, 'stems'>): boolean {
  return [...stems].some((stem) => pronouns.has(stem))
}

function counts({ amount, share }: Slots): boolean {
  return (amount ?? share) !== null
}

/** True of a swap that names an amount and both tokens. */
function isComplete(slots: Slots): boolean {
  return counts(slots) && slots.token_in !== null && slots.token_out !== null
}

function isReversal(text: string): boolean {
  const lower = text.toLowerCase()
  return lower.length < 80 && reversals.some((words) => lower.includes(words))
}

/** True of a message that holds names, figures and words of follow-ups alone, and changes at least one thing. */
function isFollowUp({ text, routed: { slots } }: ReadMessage): boolean {
  const words = wordsOf(text)
  if (words.length > 16) return false
  const named = [...slots.tokens, ...slots.chains, ...slots.protocols, ...(slots.wallet === null ? [] : [slots.wallet])]
  const names = new Set(named.map((name) => name.toLowerCase()))
  const changes = names.size > 0 || counts(slots) || slots.slippage_bps !== null
  return (
    changes &&
    words.every((word) => word.kind !== 'word' || followUpWords.has(stemOf(word.lower)) || isNamed(names, word.lower))
  )
}

function isNamed(names: ReadonlySet<string>, word: string): boolean {
  return (
    [...names].some((name) => name.split(/[_ ]/).includes(word) || word.includes(name)) ||
    /^(ether|ethereum|bitcoin|btc|bucks|usd|uniswap|v\d)$/.test(word)
  )
}

/** The earlier slots, with those that the message replaces. */
function changed({ slots: before }: UserRequest, slots: Slots, { stems }: ReadMessage): Slots {
  const rest = given(slots, ['chain', 'chains', 'slippage_bps', 'protocols', 'wallet', 'since', 'until', 'addresses'])
  const turned = { ...before, ...rest, ...sidesChanged(before, slots) }
  const counted = amountChanged(turned, slots, stems)
  // An amount of one token is none of another.
  const isStale = !counts(slots) && before.amount_currency !== 'usd' && countedToken(before) !== countedToken(turned)
  return { ...turned, ...(isStale ? { amount: null, share: null } : counted) }
}

function countedToken({ amount_of, token_in, token_out }: Slots): string | null {
  return amount_of === 'token_out' ? token_out : token_in
}

/** `to USDC` names the token to buy, `from USDC` the one to sell. A token by itself completes what is open. */
function sidesChanged(before: Slots, { token_in, token_out, tokens }: Slots): Partial<Slots> {
  if (token_in !== null && token_out !== null) return { token_in, token_out, tokens }
  const [token] = tokens
  if (token === undefined || token === before.token_in || token === before.token_out) return {}
  const isBought = token_out !== null || (token_in === null && before.token_in !== null && before.token_out === null)
  const isSold = token_in !== null || (token_out === null && before.token_out !== null && before.token_in === null)
  if (isBought === isSold) return {}
  const [paid, bought] = isBought ? [before.token_in, token] : [token, before.token_out]
  return { token_in: paid, token_out: bought, tokens: [paid, bought].filter((one) => one !== null) }
}

/** Asks which side of a swap a token by itself replaces, where both are known. */
function sideQuestion({ slots: before }: UserRequest, { token_in, token_out, tokens }: Slots): Doubt | null {
  const [token] = tokens
  const { token_in: sold, token_out: bought } = before
  if (sold === null || bought === null || token_in !== null || token_out !== null) return null
  if (token === undefined || token === sold || token === bought) return null
  const question = `Do you want ${token} instead of ${bought}, or to sell ${token} instead of ${sold}? Say "to ${token}" or "from ${token}".`
  return { question, open: null }
}

/** The sides that an answer such as `sell`, `buy it` or `sell ETH` settles; null where it is no answer, or says more. */
function settledBy(
  { tokens: [counted, other], quantity }: OpenSwap,
  { routed, stems }: ReadMessage,
): Partial<Slots> | null {
  const { token_in, token_out, amount, share, tokens } = routed.slots
  const { verbs, hedges } = routed.says
  const [verb] = verbs
  if (hedges || stems.has('should') || verbs.length !== 1 || tokens.some((name) => name !== counted && name !== other))
    return null
  const named = tokens.length > 0
  if (share !== null || (amount !== null && (amount !== quantity?.value || !tokens.includes(counted)))) return null
  const sells = named ? token_in === counted || token_out === other : verb === 'sell'
  const buys = named ? token_out === counted || token_in === other : verb === 'buy'
  if (sells === buys) return null
  const [sold, bought] = sells ? [counted, other] : [other, counted]
  return {
    token_in: sold,
    token_out: bought,
    tokens: [sold, bought],
    amount: quantity?.value ?? null,
    share: quantity?.share ?? null,
    amount_of: sells ? 'token_in' : 'token_out',
    amount_currency: quantity?.value == null ? null : quantity.currency,
  }
}

/** Asks what `sell it` and `buy 2` mean of a swap, which has two tokens. */
function verbQuestion(before: UserRequest, { routed }: ReadMessage): Doubt | null {
  return routed.says.verbs.every((verb) => verb === 'swap' || verb === 'be') ? null : turnQuestion(before)
}

function turnQuestion({ topic, slots: { token_in: sold, token_out: bought } }: UserRequest): Doubt | null {
  if (topic !== 'swap' || sold === null || bought === null) return null
  const question = `Do you want to sell ${sold} for ${bought}, or ${bought} for ${sold}? Name the amount too.`
  return { question, open: null }
}

/** Asks what `2 more` and `all but 1` leave in all. */
function amountQuestion({ routed, stems }: ReadMessage): Doubt | null {
  const changes = routed.says.hedges || ['more', 'less', 'but'].some((word) => stems.has(stemOf(word)))
  return changes && counts(routed.slots) ? { question: 'How much in all? Name the amount.', open: null } : null
}

/** Asks whether `half` and `5%` are of the amount before or of what is held; `half of it` and `all` are plain. */
function shareQuestion(
  { topic, slots: { amount, amount_of, token_in, token_out } }: UserRequest,
  message: ReadMessage,
): Doubt | null {
  const { share } = message.routed.slots
  if (topic !== 'swap' || share === null || share === '1/1' || amount === null || refersBack(message)) return null
  const counted = `${amount} ${amount_of === 'token_out' ? token_out : token_in}`
  return { question: `Do you mean ${share} of the ${counted}, or of all that you hold? Name the amount.`, open: null }
}

/** A new amount replaces the earlier one; `half of it` is half of the earlier one. */
function amountChanged(before: Slots, slots: Slots, stems: ReadonlySet<string>): Partial<Slots> {
  const { amount, share, amount_currency, tokens } = slots
  const [token] = tokens
  // A number alone counts what the amount before it counted.
  if (amount !== null && token === undefined)
    return {
      amount,
      share: null,
      amount_of: before.amount_of ?? 'token_in',
      amount_currency: before.amount_currency ?? 'token_units',
    }
  if (amount !== null)
    return { amount, share: null, amount_currency, amount_of: token === before.token_out ? 'token_out' : 'token_in' }
  if (share === null) return {}
  const part = before.amount !== null && refersBack({ stems }) ? partOf(before.amount, share) : null
  return part === null
    ? { share, amount: null, amount_of: 'token_in', amount_currency: null }
    : { amount: part, share: null }
}

/** Decimals that every dollar token has. */
const usualDigits = 6

/** A share of an amount, rounded down to the decimals of the amount, or the usual ones where those are more. */
function partOf(amount: string, share: string): string | null {
  const [numerator = '1', denominator = '1'] = share.split('/')
  const digits = Math.max(usualDigits, amount.split('.')[1]?.length ?? 0)
  const part = (parseUnits(amount, digits) * BigInt(numerator)) / BigInt(denominator)
  return part === 0n ? null : formatUnits(part, digits)
}

/** The swap back: of the amount that the last quote would return, where it quoted this swap. */
function reversed(slots: Slots, quoted: ConversationState['quoted']): Slots {
  const amount = quoted !== null && quoted.token === slots.token_out ? quoted.amount : null
  const back = { token_in: slots.token_out, token_out: slots.token_in, tokens: [...slots.tokens].reverse() }
  return { ...slots, ...back, amount, share: null, amount_of: 'token_in', amount_currency: 'token_units' }
}

/** Returns the given slots that have a value. */
function given<Key extends keyof Slots>(slots: Slots, keys: readonly Key[]): Partial<Slots> {
  const present = keys.filter((key) => {
    const value = slots[key]
    return Array.isArray(value) ? value.length > 0 : value !== null
  })
  return Object.fromEntries(present.map((key) => [key, slots[key]]))
}
