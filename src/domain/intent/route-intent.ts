import { readSlots, type Slots, type Vocabulary } from './slots.ts'

export type Intent = 'research' | 'trade' | 'risk_assessment' | 'quote'

export const teams = {
  research: 'research_team',
  trade: 'trading_team',
  risk_assessment: 'risk_team',
  quote: 'trading_team',
} as const satisfies Record<Intent, string>

/** Where a sentence goes; `intent` is null where nothing says, and `missing` names the slots that the intent still needs. */
export type Routed = { intent: Intent | null; confidence: number; slots: Slots; missing: string[] }

/** Cues of each intent with their weight. Risk outweighs quote, and quote outweighs trade: asking is safer than doing. */
const cues: { intent: Intent; weight: number; pattern: RegExp }[] = [
  {
    intent: 'risk_assessment',
    weight: 5,
    pattern:
      /\b(risk(s|y|iness)?|rug(ged|pull|-pull)?|honey ?pot|scam(my)?|safe(ty|ly)?|unsafe|danger(ous)?|legit(imate)?|trust(worthy)?|suspicious|sketchy|malicious|whale(s| flow)?|red flags?|vulnerab\w*|exploit\w*)\b/i,
  },
  {
    intent: 'quote',
    weight: 4,
    pattern:
      /\b(quot(e|es|ed|ing)|how (much|many)|what (would|will|do|can|could) i (get|receive)|exchange rate|price impact|rate (for|of|between|from)|estimate(d)?|worth|preview)\b/i,
  },
  { intent: 'quote', weight: 3, pattern: /\b(price|cost|going rate|expected out(put)?)\b/i },
  {
    intent: 'trade',
    weight: 3,
    pattern:
      /\b(swap(ping)?|trade|buy(ing)?|sell(ing)?|convert|exchange|purchase|execute|ape into|dump|offload|rebalance|market order|acquire|dca)\b/i,
  },
  {
    intent: 'research',
    weight: 3,
    pattern:
      /\b(research|tvl|total value locked|analy[sz](e|is|ing)|compare|comparison|yield(s)?|apy|apr|trend(s|ing)?|report|overview|deep dive|summar(y|ise|ize)|protocol(s)?|liquidity pools?|top pools?|subgraph|on-?chain data|volume|tell me about|look into|find out|learn|explain|news|fundamentals|market (data|cap|conditions)|investigate|insights?|history|statistics|stats)\b/i,
  },
]

/** Sorts a sentence into one of the four intents and reads its slots. Pure and deterministic. */
export function routeIntent(text: string, vocabulary: Vocabulary): Routed {
  const slots = readSlots(text, vocabulary)
  const scores = new Map<Intent, number>()
  for (const cue of cues) if (cue.pattern.test(text)) scores.set(cue.intent, (scores.get(cue.intent) ?? 0) + cue.weight)
  if (
    slots.token_in !== null &&
    slots.token_out !== null &&
    slots.amount !== null &&
    !scores.has('trade') &&
    !scores.has('quote')
  ) {
    scores.set('quote', (scores.get('quote') ?? 0) + 2)
  }
  const ranked = [...scores].sort((left, right) => right[1] - left[1])
  const [best, next] = ranked
  if (best === undefined) return { intent: null, confidence: 0, slots, missing: [] }
  const [intent, score] = best
  return {
    intent,
    confidence: Math.round((score / (score + (next?.[1] ?? 0) + 1)) * 100) / 100,
    slots,
    missing: missingFor(intent, slots),
  }
}

function missingFor(intent: Intent, slots: Slots): string[] {
  if (intent === 'research') return []
  if (intent === 'risk_assessment') return slots.tokens.length === 0 && slots.addresses.length === 0 ? ['token'] : []
  const needed = { amount: slots.amount, token_in: slots.token_in, token_out: slots.token_out }
  return Object.entries(needed)
    .filter(([, value]) => value === null)
    .map(([name]) => name)
}
