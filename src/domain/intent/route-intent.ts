import { classify } from './classify.ts'
import { type Doubt, doubtOf } from './direction/question.ts'
import type { Direction } from './direction/read-direction.ts'
import { groupsOf } from './lexicon.ts'
import type { Label } from './likelihoods.ts'
import type { Asked } from './question/read-question.ts'
import type { Vocabulary } from './reading/vocabulary.ts'
import { stemOf } from './reading/words.ts'
import { type ReadText, readText, type Slots } from './slots.ts'
import { type Unable, unableIn } from './unable.ts'

type Intent = 'research' | 'trade' | 'risk_assessment' | 'quote'

export const teams = {
  research: 'research_team',
  trade: 'trading_team',
  risk_assessment: 'risk_team',
  quote: 'trading_team',
} as const satisfies Record<Intent, string>

const intents = Object.keys(teams) as Intent[]

/**
 * The intent of a text. `intent` is the best guess; below the threshold it is not `understood`, and a question is better
 * than an action. `missing` names the slots that the intent still needs.
 */
export type Routed = {
  intent: Intent
  confidence: number
  understood: boolean
  slots: Slots
  missing: string[]
  /** Set where a trade is forbidden by the text itself, or is one that nothing here can do. */
  refusal: Unable | 'forbidden' | null
  /** What the text leaves open of the sides or the amount of a swap. */
  doubt: Doubt | null
  /** The verbs of the text, and whether it says no, has conditions or has words that nobody knows. */
  says: Pick<Direction, 'verbs' | 'negates' | 'hedges'>
  /** The language of the text, where its words tell it. */
  language: string | null
  /** What the text asks. */
  asked: Asked
}

/** Below this confidence a guess is wrong too often to act on it. */
const threshold = 0.5
/** Below this confidence the intent is research, which does the least harm. */
const faint = 0.05

/** Classifies a text as one of the four intents and reads its slots. Pure and deterministic; periods are relative to `now`. */
export function routeIntent(text: string, vocabulary: Vocabulary, now: Date): Routed {
  const read = readText(text, vocabulary, now)
  const { direction, slots, words } = read
  const { intent, confidence } = provenSwap(read) ?? likelyIntent(read)
  const understood = confidence >= threshold
  const trades = understood && (intent === 'trade' || intent === 'quote')
  return {
    intent,
    confidence,
    understood,
    slots,
    missing: understood ? missingFor(intent, read) : [],
    refusal: trades ? refusalOf(text, direction) : null,
    doubt: trades ? doubtOf(direction, words) : null,
    says: { verbs: direction.verbs, negates: direction.negates, hedges: direction.hedges },
    language: direction.languages.length === 1 ? (direction.languages[0] ?? null) : null,
    asked: read.asked,
  }
}

function refusalOf(text: string, { doubt, isConditional, sends }: Direction): Routed['refusal'] {
  return (
    unableIn(text) ?? (isConditional ? 'condition' : doubt === 'forbidden' ? 'forbidden' : sends ? 'transfer' : null)
  )
}

function likelyIntent(read: ReadText): { intent: Intent; confidence: number } {
  const likely = classify(read)
  const best = intents.reduce((left, right) => (likely[right] > likely[left] ? right : left))
  const confidence = Math.round(likely[best] * 100) / 100
  return { intent: confidence < faint ? 'research' : best, confidence }
}

/**
 * A swap that is forbidden, or one whose sides are proved or in doubt in a language that the classifier does not know: it
 * has learned from English alone. Null for every other text.
 */
function provenSwap({ direction, slots }: ReadText): { intent: Intent; confidence: number } | null {
  const { languages, doubt, named, asks } = direction
  const isCounted = named.some(({ quantity }) => quantity !== null)
  // `I don't want to buy 100 usdc of wbtc` is no question of its risk.
  if (doubt === 'forbidden' && isCounted) return { intent: 'trade', confidence: threshold }
  if (languages.length === 0 || languages.includes('en')) return null
  const isWhole = slots.token_in !== null && slots.token_out !== null
  if (!isWhole && !(doubt !== null && isCounted && named.length > 1)) return null
  return { intent: asks ? 'quote' : 'trade', confidence: isWhole && doubt === null ? 0.95 : threshold }
}

/** Kinds of actions by the slots that they need; any other action is a swap. */
type Act = 'swap' | 'send' | 'bridge' | 'stake'

const acts = new Map<string, Act>([
  ...'swap exchange convert trade sell buy switch'.split(' ').map((verb) => [stemOf(verb), 'swap'] as const),
  ...'send transfer tip gift forward wire'.split(' ').map((verb) => [stemOf(verb), 'send'] as const),
  [stemOf('bridge'), 'bridge'],
  ...'stake unstake restake deposit withdraw lend supply borrow repay'
    .split(' ')
    .map((verb) => [stemOf(verb), 'stake'] as const),
])
/** Words that request a swap of an amount of one token. Without them the text asks for its worth. */
const ofSwap = new Set(['swap', 'sell', 'quote', 'outcome', 'get'])

/** The slots that an intent still needs, the most urgent first. */
function missingFor(intent: Exclude<Label, 'other'>, read: ReadText): string[] {
  const { slots } = read
  if (intent === 'research') return []
  if (intent === 'risk_assessment') return namesSubject(slots) ? [] : ['token']
  if (intent === 'quote' && asksPrice(read)) return []
  const paid = { amount: slots.amount ?? slots.share, token_in: slots.token_in }
  const further = {
    swap: { token_out: slots.token_out },
    send: { recipient: slots.recipient },
    bridge: { chain: slots.chain },
    stake: {},
  }[actOf(read)]
  return Object.entries({ ...paid, ...further })
    .filter(([, value]) => value === null)
    .map(([name]) => name)
}

function namesSubject({ tokens, protocols, chains, addresses, wallet }: Slots): boolean {
  return wallet !== null || [tokens, protocols, chains, addresses].some((names) => names.length > 0)
}

/** True of `weth price` and `what is 2 weth worth`: one token, and no swap. */
function asksPrice({ words, slots }: ReadText): boolean {
  const counted = slots.amount !== null || slots.share !== null
  const swaps = words.some(({ lower }) => groupsOf(stemOf(lower)).some((group) => ofSwap.has(group)))
  return slots.tokens.length === 1 && !(counted && swaps)
}

/** The first action that the text names; with a recipient it is to send. */
function actOf({ words, slots }: ReadText): Act {
  if (slots.token_out !== null) return 'swap'
  if (slots.recipient !== null) return 'send'
  return words.map(({ lower }) => acts.get(stemOf(lower))).find((act) => act !== undefined) ?? 'swap'
}
