import type { Ports } from '../../ports/index.ts'
import type { Offer } from '../../ports/offers.ts'
import type { StoredQuote } from '../../ports/trades.ts'
import { usualWallet } from '../../ports/wallets.ts'
import { taxSentence } from '../../quoting/deliver.ts'
import { presentQuote } from '../../quoting/quote.ts'
import { formatUnits } from '../../values/money.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'

/** A quote that a session was shown. */
export type Shown = { offered: Offer; quote: StoredQuote }

/** Who is answered, in which session, and the answer that is being written. */
export type Answered = { userId: number; sessionId: string; answerId: string }

/** The caller's quote of that id where this session was shown it, or null. */
export async function shownQuote(
  ports: Pick<Ports, 'offers' | 'quotes'>,
  { userId, sessionId }: { userId: number; sessionId: string },
  quoteId: string,
): Promise<Shown | null> {
  const offered = await ports.offers.find(sessionId, quoteId)
  const quote = offered === null ? null : await ports.quotes.find(userId, quoteId)
  return offered === null || quote === null ? null : { offered, quote }
}

/** As `shownQuote`, where it was not traded yet. */
export async function untradedQuote(
  ports: Pick<Ports, 'executions' | 'offers' | 'quotes'>,
  caller: { userId: number; sessionId: string },
  quoteId: string,
): Promise<Shown | null> {
  const traded = await ports.executions.findByKey(caller.userId, quoteId)
  return traded === null ? await shownQuote(ports, caller, quoteId) : null
}

/** Shows a quote that the session was not shown yet. It counts as shown once its text is stored, and not where that was stopped. */
export async function* show(
  ports: Pick<Ports, 'chains' | 'clock' | 'offers'>,
  quote: StoredQuote,
  to: { answerId: string; walletRef: string | null },
  stopped: AbortSignal,
): AsyncGenerator<string> {
  yield offerText(ports, quote, to)
  const { answerId, walletRef } = to
  if (!stopped.aborted)
    await ports.offers.save({ quoteId: quote.id, walletRef, offeredAt: ports.clock.now() }, answerId)
}

/** What a quote is, in figures of its own, and the sentence that trades it: nothing of it is from an assistant. */
export function offerText(ports: Pick<Ports, 'chains'>, quote: StoredQuote, shown: Pick<Offer, 'walletRef'>): string {
  const { venue, minimum_out, price_impact_bps, quote_id, expires_at } = presentQuote(quote, ports.chains)
  return (
    `Quote ${quote_id}: ${dealText(ports, quote)} on ${venue}, ${minimum_out} at least, ` +
    `at a price impact of ${price_impact_bps} bps, good until ${expires_at.slice(11, 19)} UTC.${taxSentence(quote.transferTaxBps)} ` +
    `To trade it from your wallet ${walletOf(shown)}, answer with this sentence alone: confirm ${quote_id}`
  )
}

/** What is paid and what should arrive, such as `1 WETH for about 2496.35 USDC`. */
export function dealText({ chains }: Pick<Ports, 'chains'>, quote: StoredQuote): string {
  const chain = chainOf(chains, quote.chainId, 'quote')
  const amount = (units: bigint, address: string) => {
    const token = knownToken(chain, address)
    return `${formatUnits(units, token?.decimals ?? 0)} ${token?.symbol ?? address}`
  }
  return `${amount(quote.amountIn, quote.tokenIn)} for about ${amount(quote.expectedOut, quote.tokenOut)}`
}

export function walletOf({ walletRef }: Pick<Offer, 'walletRef'>): string {
  return walletRef ?? usualWallet
}
