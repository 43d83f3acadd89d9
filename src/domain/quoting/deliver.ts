import { DomainError } from '../core/errors.ts'
import type { Chain, Head, Route, RouteQuote } from '../ports/chains.ts'
import { bestRoute, type GasPrice } from '../values/routing.ts'

/** The route to trade, what arrives of it, and what the tokens keep on the way; null where that cannot be measured. */
export type Delivery = { best: RouteQuote; arrives: bigint; taxBps: number | null }

type Priced = { quotes: readonly RouteQuote[]; block: Head; amountIn: bigint; gasPrice: GasPrice }

/**
 * Tries the best route out and counts what arrives. Where nothing does, or a token's tax is taken on a venue that cannot
 * hold a trade to its minimum then, the best route of the other venue has its turn; FAILED_PRECONDITION where none is
 * left, null where there was none.
 */
export async function deliver(chain: Chain, priced: Priced): Promise<Delivery | null> {
  const { quotes, block, amountIn, gasPrice } = priced
  let left = quotes
  let why: string | null = null
  for (let best = bestRoute(left, gasPrice); best !== null; best = bestRoute(left, gasPrice)) {
    const { route, amountOut } = best
    const arrival = await chain.arrivalOf(route, amountIn, block)
    if (arrival === null) return { best, arrives: amountOut, taxBps: null }
    if (arrival.ok) {
      const taxBps = lostBps(arrival.amountOut, amountOut)
      if (taxBps === 0 || countsArrivals(route)) return { best, arrives: arrival.amountOut, taxBps }
      why ??= `A token of the swap keeps ${taxBps} basis points of what the pools pay, and ${route.venue} cannot hold a trade to what arrives.`
    } else why ??= `The swap would fail: ${arrival.reason}. ${arrival.advice}`
    left = left.filter((other) => other.route.venue !== route.venue)
  }
  if (why === null) return null
  throw new DomainError('FAILED_PRECONDITION', `${why} No other venue that may be used fills it.`)
}

/** The router of the older venue alone compares the minimum with the balance of whom it pays. */
function countsArrivals({ venue }: Route): boolean {
  return venue === 'uniswap_v2'
}

/** Rounded up: what is kept is never told as nothing. */
function lostBps(arrives: bigint, paid: bigint): number {
  return arrives >= paid ? 0 : Number(((paid - arrives) * 10_000n + paid - 1n) / paid)
}

/** A sentence of what the tokens of a quote keep, with a space before it; empty where they keep nothing. */
export function taxSentence(taxBps: unknown): string {
  return typeof taxBps !== 'number' || taxBps === 0
    ? ''
    : ` The tokens themselves keep ${taxBps} bps of it as a tax, which is taken off already.`
}
