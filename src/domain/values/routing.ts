import type { RouteQuote } from '../ports/chains.ts'

/**
 * The route that yields most after gas. Among equals, the one over fewer pools wins, then the earlier one. Null where
 * there is no route.
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

/** The price of a unit of gas: `perGas / scale` smallest units of a token. A fraction, because it is usually far below one unit. */
export type GasPrice = { perGas: bigint; scale: bigint }

/** No gas price: routes are then ranked by their yield alone. */
export const free: GasPrice = { perGas: 0n, scale: 1n }
