import type { RouteQuote } from '../ports/chains.ts'

/** The route that yields most; among equals the one over fewer pools, then the one named first. Null where there is none. */
export function bestRoute(quotes: readonly RouteQuote[]): RouteQuote | null {
  return quotes.reduce<RouteQuote | null>((best, quote) => (best === null || beats(quote, best) ? quote : best), null)
}

function beats(quote: RouteQuote, best: RouteQuote): boolean {
  if (quote.amountOut !== best.amountOut) return quote.amountOut > best.amountOut
  return quote.route.pools.length < best.route.pools.length
}
