import type { RouteQuote } from '../ports/chains.ts'

/**
 * The route that leaves most when its gas is paid, by what a unit of gas costs in smallest units of the token out times
 * `scale`; among equals the one over fewer pools, then the one named first. Null where there is none.
 */
export function bestRoute(quotes: readonly RouteQuote[], gasPrice: GasPrice = free): RouteQuote | null {
  const net = ({ amountOut, gas }: RouteQuote) => amountOut * gasPrice.scale - gas * gasPrice.perGas
  return quotes.reduce<RouteQuote | null>((best, quote) => {
    if (best === null) return quote
    const [left, right] = [net(quote), net(best)]
    if (left !== right) return left > right ? quote : best
    return quote.route.pools.length < best.route.pools.length ? quote : best
  }, null)
}

/** What gas costs in a token: exact, because a unit of gas is worth far less than a smallest unit of most. */
export type GasPrice = { perGas: bigint; scale: bigint }

/** Where nothing prices gas in the token, routes are ranked by what they yield. */
export const free: GasPrice = { perGas: 0n, scale: 1n }
