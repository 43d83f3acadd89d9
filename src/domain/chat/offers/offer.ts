import type { Grant } from '../../ports/accounts.ts'
import type { Offer } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/index.ts'
import type { StoredQuote } from '../../ports/trades.ts'
import { usualWallet } from '../../ports/wallets.ts'
import { taxSentence } from '../../quoting/deliver.ts'
import { presentQuote } from '../../quoting/quote.ts'
import { formatUnits } from '../../values/money.ts'
import { minimumOut } from '../../values/price-impact.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'

/** A quote that was shown in a session. */
export type Shown = { offered: Offer; quote: StoredQuote }

/** The answer that is being written, its session and its caller. */
export type AnswerContext = {
  userId: number
  sessionId: string
  /** What the session may do; null is everything. */
  grant: Grant | null
  answerId: string
  /** Adds a quote to the facts of the answer; the caller's next message may refer to it. */
  noteQuote(quoteId: string): void
  /** The language of the caller's message, where its words tell it. */
  language?: () => string | null
}

/** The caller's quote where it was shown in this session, or null. */
export async function shownQuote(
  ports: Pick<Ports, 'offers' | 'quotes'>,
  { userId, sessionId }: { userId: number; sessionId: string },
  quoteId: string,
): Promise<Shown | null> {
  const offered = await ports.offers.find(sessionId, quoteId)
  const quote = offered === null ? null : await ports.quotes.find(userId, quoteId)
  return offered === null || quote === null ? null : { offered, quote }
}

/** Returns the quote as `shownQuote` does, or null where it was traded. */
export async function untradedQuote(
  ports: Pick<Ports, 'executions' | 'offers' | 'quotes'>,
  caller: { userId: number; sessionId: string },
  quoteId: string,
): Promise<Shown | null> {
  const traded = await ports.executions.findByKey(caller.userId, quoteId)
  return traded === null ? await shownQuote(ports, caller, quoteId) : null
}

/** Shows a new quote, with a question where the caller's words do not prove its sides. It can be confirmed once its text is stored; an answer that was stopped before has not shown it. */
export async function* showFirst(
  ports: Pick<Ports, 'chains' | 'clock' | 'offers'>,
  { answerId, noteQuote, language }: AnswerContext,
  { quote, walletRef, isSure = true }: { quote: StoredQuote; walletRef: string | null; isSure?: boolean },
  stopped: AbortSignal,
): AsyncGenerator<string> {
  if (!isSure) yield 'Is this what you mean? '
  yield offerText(ports, quote, { walletRef }, language?.() ?? null)
  if (stopped.aborted) return
  await ports.offers.save({ quoteId: quote.id, walletRef, offeredAt: ports.clock.now() }, answerId)
  noteQuote(quote.id)
}

/** The text of a quote that was shown before. */
export function showAgain(
  ports: Pick<Ports, 'chains'>,
  { noteQuote, language }: AnswerContext,
  { quote, offered }: Shown,
): string {
  noteQuote(quote.id)
  return offerText(ports, quote, offered, language?.() ?? null)
}

/** The stored figures of a quote, and the sentence that trades it. Nothing of it comes from an assistant. */
function offerText(
  ports: Pick<Ports, 'chains'>,
  quote: StoredQuote,
  shown: Pick<Offer, 'walletRef'>,
  language: string | null = null,
): string {
  const { venue, price_impact_bps, quote_id, expires_at } = presentQuote(quote, ports.chains)
  return (
    `${dealLines(dealOf(ports, quote), language)}\n` +
    `Quote ${quote_id}: on ${venue}, at a price impact of ${price_impact_bps} bps, ` +
    `valid until ${expires_at.slice(11, 19)} UTC.${taxSentence(quote.transferTaxBps)} ` +
    `To trade it from your wallet ${walletOf(shown)}, reply with this sentence alone: confirm ${quote_id}`
  )
}

function dealOf({ chains }: Pick<Ports, 'chains'>, quote: StoredQuote): Deal {
  const chain = chainOf(chains, quote.chainId, 'quote')
  const amount = (units: bigint, address: string) => {
    const token = knownToken(chain, address)
    return `${formatUnits(units, token?.decimals ?? 0)} ${token?.symbol ?? address}`
  }
  return {
    sold: amount(quote.amountIn, quote.tokenIn),
    received: amount(quote.expectedOut, quote.tokenOut),
    least: amount(minimumOut(quote.expectedOut, quote.slippageBps), quote.tokenOut),
  }
}

/** What is paid and what is expected in return, such as `1 WETH for about 2496.35 USDC`. */
export function dealText(ports: Pick<Ports, 'chains'>, quote: StoredQuote): string {
  const { sold, received } = dealOf(ports, quote)
  return `${sold} for about ${received}`
}

export function walletOf({ walletRef }: Pick<Offer, 'walletRef'>): string {
  return walletRef ?? usualWallet
}

/** What a swap does, in amounts with their symbols. */
type Deal = { sold: string; received: string; least: string }

/** The line that says what a quote does, in the languages of the intent's grammars. */
const lines: Readonly<Record<string, (deal: Deal) => string>> = {
  en: ({ sold, received, least }) => `You sell ${sold}, you receive about ${received}, at least ${least}.`,
  de: ({ sold, received, least }) => `Du verkaufst ${sold}, du erhältst etwa ${received}, mindestens ${least}.`,
  es: ({ sold, received, least }) => `Vendes ${sold}, recibes aproximadamente ${received}, al menos ${least}.`,
  fr: ({ sold, received, least }) => `Tu vends ${sold}, tu reçois environ ${received}, au moins ${least}.`,
  pt: ({ sold, received, least }) => `Você vende ${sold}, recebe cerca de ${received}, pelo menos ${least}.`,
  it: ({ sold, received, least }) => `Vendi ${sold}, ricevi circa ${received}, almeno ${least}.`,
}

/** The line in English, and in the language of the asker where that is another one. */
function dealLines(deal: Deal, language: string | null): string {
  const own = language === null || language === 'en' ? undefined : lines[language]
  return [lines.en, own].flatMap((line) => (line === undefined ? [] : [line(deal)])).join(' ')
}
