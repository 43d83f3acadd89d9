import type { AssistantRequest } from '../../ports/assistant.ts'
import type { Ports } from '../../ports/index.ts'
import { type AnswerContext, type Shown, showAgain, shownQuote, untradedQuote } from './offer.ts'
import { isExpired, type RenewPorts, renew } from './renew-offer.ts'
import { type TradePorts, tradeShown } from './trade-shown.ts'

export type ConfirmPorts = RenewPorts | TradePorts

/**
 * Answers the caller's last message where it confirms a quote, or wants it traded; null where it is about something else.
 * Nothing else trades from a chat, and only `text` can: the quote must be the caller's, and an earlier answer of this
 * session must have shown it.
 */
export async function answerConfirmation(
  ports: Pick<Ports, ConfirmPorts>,
  context: AnswerContext,
  { text, history, signal }: Pick<AssistantRequest, 'text' | 'history' | 'signal'>,
): Promise<AsyncIterable<string> | Iterable<string> | null> {
  const confirmation = readConfirmation(text)
  if (confirmation === null) return null
  if ('confirms' in confirmation) {
    const shown = await shownQuote(ports, context, confirmation.confirms)
    return shown === null ? [notShownText(confirmation.confirms)] : tradeShown(ports, context, shown, signal)
  }
  const wanted = confirmation.wishes ?? lastQuoteId(history)
  const shown = wanted === null ? null : await untradedQuote(ports, context, wanted)
  return shown === null ? null : requestSentence(ports, context, shown, signal)
}

/** The quote that the last answer of the session showed last. */
function lastQuoteId(history: AssistantRequest['history']): string | null {
  const answer = history.findLast(({ facts }) => facts !== undefined)
  return answer?.facts?.quoteIds.at(-1) ?? null
}

function notShownText(quoteId: string): string {
  return `Nothing was traded. No quote ${quoteId} was shown to you in this conversation. Ask for one, such as "quote 1 WETH to USDC", and confirm that.`
}

async function* requestSentence(
  ports: Pick<Ports, ConfirmPorts>,
  context: AnswerContext,
  shown: Shown,
  stopped: AbortSignal,
) {
  yield 'Nothing is traded before you confirm a quote by its id.\n'
  if (isExpired(ports, shown)) yield* renew(ports, context, shown, stopped)
  else yield `${showAgain(ports, context, shown)}\nDo you want to trade it?`
}

/** What a message says about a quote: it confirms the quote, or it wants the trade in other words; null names no quote. */
type Confirmation = { confirms: string } | { wishes: string | null }

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The only sentence that trades: `confirm <quote_id>` or `confirm quote <quote_id>`, in any letter case, and nothing else. */
const sentence = new RegExp(`^confirm (?:quote )?(${uuid})$`, 'i')

const quoteIds = new RegExp(`\\b${uuid}\\b`, 'g')

/** A wish consists of these words alone, with at least one assent or action. It trades nothing, so a wrong match does no harm. */
const assents = [
  'yes',
  'yeah',
  'yep',
  'yup',
  'ok',
  'okay',
  'sure',
  'agreed',
  'approved',
  'accepted',
  'confirmed',
  'deal',
]
const actions = [
  ...['do', 'go', 'trade', 'execute', 'swap', 'buy', 'sell', 'make', 'send', 'take', 'proceed', 'submit', 'run'],
  ...['approve', 'accept', 'agree', 'confirm'],
]
const fillers = [
  ...['it', 'that', 'this', 'so', 'the', 'my', 'quote', 'order', 'ahead', 'for', 'with', 'on', 'please', 'then', 'now'],
  ...['just', "let's", 'lets', 'us', 'i', 'fine', 'good', 'great', 'perfect', 'alright', 'thanks', 'and'],
]
const decisive: ReadonlySet<string> = new Set([...assents, ...actions])
const wishWords: ReadonlySet<string> = new Set([...decisive, ...fillers])

/** Reads a message of the caller; null where it is about something else. */
export function readConfirmation(text: string): Confirmation | null {
  const message = text.trim().toLowerCase()
  const confirmed = sentence.exec(message)?.[1]
  if (confirmed !== undefined) return { confirms: confirmed }
  const quoteId = message.match(quoteIds)?.[0] ?? null
  const words = message.replace(quoteId ?? '', '').match(/[^\s,.!?:;"`]+/g) ?? []
  const wishes =
    words.length <= 10 && words.every((word) => wishWords.has(word)) && words.some((word) => decisive.has(word))
  return wishes ? { wishes: quoteId } : null
}
