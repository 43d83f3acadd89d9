import { classify } from './classify.ts'
import { missingFor } from './missing.ts'
import { readText, type Slots } from './slots.ts'
import type { Vocabulary } from './vocabulary.ts'

export type Intent = 'research' | 'trade' | 'risk_assessment' | 'quote'

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
export type Routed = { intent: Intent; confidence: number; understood: boolean; slots: Slots; missing: string[] }

/** Below this confidence a guess is wrong too often to act on it. */
const threshold = 0.5
/** Below this confidence the intent is research, which does the least harm. */
const faint = 0.05

/** Classifies a text as one of the four intents and reads its slots. Pure and deterministic; periods are relative to `now`. */
export function routeIntent(text: string, vocabulary: Vocabulary, now: Date): Routed {
  const read = readText(text, vocabulary, now)
  const likely = classify(read)
  const best = intents.reduce((left, right) => (likely[right] > likely[left] ? right : left))
  const confidence = Math.round(likely[best] * 100) / 100
  const intent = confidence < faint ? 'research' : best
  const understood = confidence >= threshold
  return {
    intent,
    confidence,
    understood,
    slots: read.slots,
    missing: understood ? missingFor(intent, read) : [],
  }
}
