import type { AssistantRequest } from '../../ports/assistant.ts'
import type { Message } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/index.ts'
import { lastNamed, readWord } from './confirming-words.ts'
import { type Answered, offerText, type Shown, shownQuote, untradedQuote } from './offer.ts'
import { type RenewPorts, ranOut, renew } from './renew-offer.ts'
import { type TradePorts, tradeShown } from './trade-shown.ts'

export type ConfirmPorts = RenewPorts | TradePorts

/**
 * Answers the caller's own last message where it confirms a quote, or wishes it traded; null where it is about something
 * else. Nothing but this trades from a chat, and nothing but `text` makes it do so: the quote must be the caller's, and
 * an earlier answer must have shown it in this session.
 */
export async function answerWord(
  ports: Pick<Ports, ConfirmPorts>,
  caller: Answered,
  { text, history, signal }: Pick<AssistantRequest, 'text' | 'history' | 'signal'>,
): Promise<AsyncIterable<string> | Iterable<string> | null> {
  const word = readWord(text)
  if (word === null) return null
  if ('confirms' in word) {
    const shown = await shownQuote(ports, caller, word.confirms)
    return shown === null ? [neverShown(word.confirms)] : tradeShown(ports, caller, shown, signal)
  }
  const wished = word.wishes ?? (await shownLast(ports, caller, history))
  const shown = wished === null ? null : await untradedQuote(ports, caller, wished)
  return shown === null ? null : askForSentence(ports, caller, shown, signal)
}

/** The quote that the last answer named last, where it was shown to the session. */
async function shownLast({ offers }: Pick<Ports, 'offers'>, { sessionId }: Answered, history: readonly Message[]) {
  const lastAnswer = history.findLast(({ role }) => role === 'assistant')?.content ?? ''
  const named = lastNamed(lastAnswer)
  return named === null ? null : ((await offers.find(sessionId, named))?.quoteId ?? null)
}

function neverShown(quoteId: string): string {
  return `Nothing was traded: no quote ${quoteId} was shown to you in this conversation. Ask for one, such as "quote 1 WETH to USDC", and confirm that.`
}

async function* askForSentence(ports: Pick<Ports, ConfirmPorts>, caller: Answered, shown: Shown, stopped: AbortSignal) {
  yield 'Nothing is traded before you confirm a quote by its id.\n'
  if (ranOut(ports, shown)) yield* renew(ports, caller, shown, stopped)
  else yield `${offerText(ports, shown.quote, shown.offered)}\nShall it be traded?`
}
