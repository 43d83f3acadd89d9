import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import { stemOf, wordsOf } from '../../intent/reading/words.ts'
import { type Routed, routeIntent } from '../../intent/route-intent.ts'

/** What a message is about. `payment` moves money in another way than a swap, `unable` wants a swap that nothing here can place, and `declined` is one that the caller forbids. */
export type Topic =
  | 'swap'
  | 'payment'
  | 'unable'
  | 'declined'
  | 'price'
  | 'risk'
  | 'balance'
  | 'positions'
  | 'volume'
  | 'trades'
  | 'chains'
  | 'research'
  | 'hello'
  | 'thanks'
  | 'help'
  | 'unclear'

/** A message read by itself: its topic, what it names, and the stems of its words. */
export type ReadMessage = { topic: Topic; routed: Routed; stems: ReadonlySet<string>; text: string }

const stemsOf = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stemOf))

const ownWords = stemsOf('my i mine me')
/** Words about the caller's own account, and the words that must stand with them. The first match counts. */
const ownTopics: readonly { topic: Topic; words: ReadonlySet<string>; nearby: ReadonlySet<string> }[] = [
  { topic: 'positions', words: stemsOf('position positions portfolio pnl unrealized realized'), nearby: new Set() },
  { topic: 'balance', words: stemsOf('balance balances holding holdings'), nearby: new Set() },
  { topic: 'positions', words: stemsOf('profit loss performance gain gained make made earn earned'), nearby: ownWords },
  { topic: 'volume', words: stemsOf('volume'), nearby: ownWords },
  { topic: 'volume', words: stemsOf('much'), nearby: stemsOf('traded') },
  { topic: 'trades', words: stemsOf('trades execution executions order orders transaction'), nearby: ownWords },
  { topic: 'balance', words: stemsOf('wallet hold own have funds tokens money account'), nearby: ownWords },
]
const supported = stemsOf('support supported connected chains networks tokens venues')
const pricing = stemsOf('price pricing worth value cost trading rate expensive cheap much going')
const swapping = stemsOf('quote quotation swap sell buy convert exchange trade preview simulate dump estimate')
const paying = stemsOf('send transfer pay bridge deposit withdraw stake unstake lend borrow repay supply claim')
const greetings = stemsOf('hello hi hey hiya howdy yo gm greetings hola hallo bonjour ciao morning evening afternoon')
const thanking = stemsOf('thanks thank thx cheers great perfect awesome bye goodbye')
const helping = stemsOf('help who what can how start capabilities commands')

/** Reads one message without those before it. */
export function readMessage(text: string, vocabulary: Vocabulary, now: Date): ReadMessage {
  const routed = routeIntent(text, vocabulary, now)
  const stems = new Set(wordsOf(text).map(({ lower }) => stemOf(lower)))
  return { topic: refusedTopic(topicOf(routed, stems), routed), routed, stems, text }
}

/** The topic of a message that asks for what is forbidden or impossible, else its own. */
function refusedTopic(topic: Topic, { refusal }: Routed): Topic {
  if (refusal === null || (topic !== 'swap' && topic !== 'payment')) return topic
  return refusal === 'forbidden' ? 'declined' : refusal === 'transfer' ? 'payment' : 'unable'
}

function topicOf({ intent, understood, slots }: Routed, stems: ReadonlySet<string>): Topic {
  const says = (words: ReadonlySet<string>) => [...words].some((word) => stems.has(word))
  const quiet = intent === 'research' || intent === 'quote' || !understood
  const mine = ownTopics.find(({ words, nearby }) => says(words) && (nearby.size === 0 || says(nearby)))
  if (quiet && mine !== undefined && slots.token_out === null) return mine.topic
  if (!understood) return says(thanking) ? 'thanks' : says(greetings) ? 'hello' : says(helping) ? 'help' : 'unclear'
  if (intent === 'risk_assessment') return 'risk'
  if (intent === 'trade') return slots.token_out === null && says(paying) ? 'payment' : 'swap'
  if (intent === 'quote') return slots.tokens.length === 1 && says(pricing) && !says(swapping) ? 'price' : 'swap'
  const listed = slots.protocols.length + slots.chains.length === 0 && stems.has('you') && says(supported)
  return listed ? 'chains' : 'research'
}
