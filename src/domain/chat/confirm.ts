import type { Ports } from '../ports.ts'
import { readWord } from './confirming-words.ts'
import { offerText, type Shown, shownQuote } from './offer.ts'
import { type RenewPorts, ranOut, renew } from './renew-offer.ts'
import { type TradePorts, tradeShown } from './trade-shown.ts'

export type ConfirmPorts = RenewPorts | TradePorts

type Caller = { userId: number; sessionId: string }

/**
 * Answers the caller's own last message where it confirms a quote, or wishes it traded; null where it is about something
 * else. Nothing but this trades from a chat, and nothing but `text` makes it do so: the quote must be the caller's, and
 * an earlier answer must have shown it in this session. `lastAnswer` is what the session was told last.
 */
export async function answerWord(
  ports: Pick<Ports, ConfirmPorts>,
  caller: Caller,
  text: string,
  lastAnswer: string,
): Promise<AsyncIterable<string> | Iterable<string> | null> {
  const word = readWord(text)
  if (word === null) return null
  if ('confirms' in word) {
    const shown = await shownQuote(ports, caller, word.confirms)
    return shown === null ? [neverShown(word.confirms)] : tradeShown(ports, caller, shown)
  }
  const quoteId = word.wishes ?? (await shownLast(ports, caller, lastAnswer))
  if (quoteId === null) return null
  const shown = await shownQuote(ports, caller, quoteId)
  if (shown === null) return word.wishes === null ? null : [neverShown(quoteId)]
  const traded = await ports.executions.findByKey(caller.userId, quoteId)
  return traded === null ? await askForSentence(ports, caller, shown) : null
}

/** The quote that the last answer ended with, where it did. */
async function shownLast({ offers }: Pick<Ports, 'offers'>, { sessionId }: Caller, lastAnswer: string) {
  const newest = await offers.newest(sessionId)
  return newest !== null && lastAnswer.includes(newest.quoteId) ? newest.quoteId : null
}

function neverShown(quoteId: string): string {
  return `Nothing was traded: no quote ${quoteId} was shown to you in this conversation. Ask for one, such as "quote 1 WETH to USDC", and confirm that.`
}

async function askForSentence(ports: Pick<Ports, ConfirmPorts>, caller: Caller, shown: Shown): Promise<string[]> {
  const open = 'Nothing is traded before you confirm a quote by its id.\n'
  if (ranOut(ports, shown)) return [open, await renew(ports, caller, shown)]
  return [open, `${offerText(ports, shown.quote, shown.offered)}\nShall it be traded?`]
}
