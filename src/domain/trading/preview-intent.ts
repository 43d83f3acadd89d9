import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import { type Routed, routeIntent, teams } from '../intent/route-intent.ts'
import { vocabularyOf } from '../intent/vocabulary.ts'

/** Tells what a text asks for; where it does not understand it answers research with confidence 0 and asks back. */
export const previewIntent: Handler<typeof contract.trading.previewIntent, 'chains'> = async (ports, input) => {
  const routed = routeIntent(input.text, vocabularyOf(ports.chains))
  const intent = routed.intent ?? 'research'
  const question = questionFor(routed)
  return {
    intent,
    team: teams[intent],
    entities: { ...routed.slots },
    confidence: routed.confidence,
    missing: routed.missing,
    ...(question === null ? {} : { question }),
  }
}

/** What to ask back, or null where nothing is open. */
export function questionFor(routed: Routed): string | null {
  if (routed.intent === null)
    return 'What would you like: research, a quote, a trade or a risk check, and of which token?'
  const [first] = routed.missing
  if (first === undefined) return null
  const questions: Record<string, string> = {
    amount: 'How much, in units of the token you pay with?',
    token_in: 'Which token do you pay with?',
    token_out: 'Which token do you want?',
    token: 'Which token shall be checked? Name its symbol or its address.',
  }
  return questions[first] ?? `What is the ${first}?`
}
