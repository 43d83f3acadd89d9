import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { vocabularyOf } from '../intent/reading/vocabulary.ts'
import { type Routed, routeIntent, teams } from '../intent/route-intent.ts'
import { unableText } from '../intent/unable.ts'

/** Classifies a text. Where it is unsure it returns its best guess with a low confidence, and a question. */
export const previewIntent: Handler<typeof contract.trading.previewIntent, 'chains' | 'clock'> = async (
  ports,
  input,
) => {
  const routed = routeIntent(input.text, vocabularyOf(ports.chains), ports.clock.now())
  const question = questionFor(routed)
  return {
    intent: routed.intent,
    team: teams[routed.intent],
    entities: routed.slots,
    confidence: routed.confidence,
    missing: routed.missing,
    ...(question === null ? {} : { question }),
  }
}

const questions: Record<string, string> = {
  amount: 'How much, in units of the token you pay with?',
  token_in: 'Which token do you pay with?',
  token_out: 'Which token do you want?',
  recipient: 'To which address?',
  chain: 'To which chain?',
  token: 'What should be checked? Name a token, a protocol, a chain or an address.',
}

/** The question for what is missing, or null where nothing is. */
export function questionFor({ understood, missing: [first], doubt, refusal }: Routed): string | null {
  if (!understood) return 'What would you like: research, a quote, a trade or a risk check, and of which token?'
  if (refusal !== null)
    return refusal === 'forbidden' ? 'Nothing is quoted. What shall I do instead?' : unableText(refusal)
  if (doubt !== null) return doubt.question
  return first === undefined ? null : (questions[first] ?? null)
}
