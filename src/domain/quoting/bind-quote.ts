import { type Fail, invalid } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import type { Swap } from '../values/swap.ts'
import { makeQuote, type QuotePorts, type QuoteRequest } from './quote.ts'

/**
 * The quote to trade at: the one that `quoteId` names, else a new one. A named quote must be the account's own, still
 * valid and of the same swap; an error names the field that differs.
 */
export async function bindQuote(
  ports: Pick<Ports, QuotePorts>,
  request: QuoteRequest,
  quoteId: string | undefined,
  fail: Fail<'NOT_FOUND' | 'FAILED_PRECONDITION'>,
): Promise<StoredQuote> {
  if (quoteId === undefined) return await makeQuote(ports, request, fail)
  const quote = await ports.quotes.find(request.userId, quoteId)
  if (quote === null)
    throw fail('NOT_FOUND', 'You have no quote with this quote_id. Request a new one from trading.quote.')
  refuseOtherSwap(quote, request.swap)
  if (quote.expiresAt <= ports.clock.now())
    throw fail('FAILED_PRECONDITION', 'The quote has expired. Request a new quote.')
  return quote
}

function refuseOtherSwap(quote: StoredQuote, swap: Swap): void {
  const same = {
    chain_id: quote.chainId === swap.chain.info.id,
    token_in_address: quote.tokenIn.toLowerCase() === swap.tokenIn.address.toLowerCase(),
    token_out_address: quote.tokenOut.toLowerCase() === swap.tokenOut.address.toLowerCase(),
    // The token amount of a USD amount changes with the price, so equal requested amounts are enough.
    amount_in: quote.amountIn === swap.amountIn || quote.requestedAmount === swap.requestedAmount,
    slippage_bps: quote.slippageBps === swap.slippageBps,
  }
  const differing = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (differing === undefined) return
  throw invalid(
    `input.${differing}`,
    'differs from the quote with this quote_id; send the swap that was quoted',
    'quote_differs',
  )
}
