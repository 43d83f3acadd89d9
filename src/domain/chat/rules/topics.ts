import { type Question, readsTrade } from '../../intent/question/rules.ts'
import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import { stemOf, wordsOf } from '../../intent/reading/words.ts'
import { type Routed, routeIntent } from '../../intent/route-intent.ts'

/**
 * What a message is about: a question, a swap, or neither. `payment` moves money in another way than a swap, `unable` wants
 * a swap that nothing here can place, and `declined` is one that the caller forbids. `unclear` is what is not read whole.
 */
export type Topic = Question | 'swap' | 'payment' | 'unable' | 'declined' | 'unclear'

/** A message read by itself: its topic, what it names, and the stems of its words. */
export type ReadMessage = { topic: Topic; routed: Routed; stems: ReadonlySet<string>; text: string; now: Date }

const paying: ReadonlySet<string> = new Set(
  'send transfer pay bridge deposit withdraw stake unstake lend borrow repay supply claim'.split(' ').map(stemOf),
)

/** Reads one message without those before it. */
export function readMessage(text: string, vocabulary: Vocabulary, now: Date): ReadMessage {
  const routed = routeIntent(text, vocabulary, now)
  const stems = new Set(wordsOf(text).map(({ lower }) => stemOf(lower)))
  return { topic: questionIn(routed) ?? swapIn(routed, stems) ?? 'unclear', routed, stems, text, now }
}

/** The question of a text that is read whole, unless its words prove a swap and the question is not about one. */
function questionIn({ intent, understood, asked, slots, doubt }: Routed): Question | null {
  const { question } = asked
  if (question === null || readsTrade.has(question)) return question
  const trades = understood && (intent === 'trade' || intent === 'quote')
  const sides = [slots.token_in, slots.token_out].filter((side) => side !== null).length
  const isOpen = doubt !== null && slots.tokens.length > 1
  const isSwap = trades && (sides === 2 || isOpen || (sides === 1 && (question === 'trades' || question === 'volume')))
  return isSwap ? null : question
}

/** Verbs that say something of a token, and trade none. */
const stating: ReadonlySet<string> = new Set(['be', 'own', 'cost', 'yield'])

/** A swap, or what is refused in place of one; null where nothing is to be traded, or a word is not understood. */
function swapIn({ intent, understood, slots, says, refusal, doubt }: Routed, stems: ReadonlySet<string>): Topic | null {
  if (!understood || (intent !== 'trade' && intent !== 'quote')) return null
  const isCounted = slots.amount !== null || slots.share !== null
  const isNamed = slots.tokens.length > 0 || isCounted
  const acts = says.verbs.some((verb) => !stating.has(verb)) || [...paying].some((stem) => stems.has(stem))
  if (refusal === 'forbidden') return 'declined'
  if (
    refusal !== null &&
    isNamed &&
    slots.transactions.length === 0 &&
    (acts || isCounted || refusal === 'stop_loss' || refusal === 'limit')
  )
    return refusal === 'transfer' ? 'payment' : 'unable'
  const isOpen = doubt?.open != null && doubt.open.quantity !== null
  if (isOpen || (slots.token_in !== null && slots.token_out !== null)) return 'swap'
  if (says.hedges || !(acts || (isCounted && isNamed))) return null
  const pays = [...paying].some((stem) => stems.has(stem))
  return intent === 'trade' && slots.token_out === null && pays ? 'payment' : 'swap'
}
