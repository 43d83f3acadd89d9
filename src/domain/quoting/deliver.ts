import type { Fail } from '../core/errors.ts'
import type { Chain, Head, Route, RouteQuote } from '../ports/chains.ts'
import { bestRoute, type GasPrice } from '../values/routing.ts'

/**
 * The route to trade; `arrives` is what the wallet receives, in smallest units of the token out, and `taxBps` what the
 * tokens keep as transfer tax, null where it cannot be measured. `gas` is that of `estimateSwapGas`.
 */
type Delivery = { best: RouteQuote; arrives: bigint; taxBps: number | null; gas: bigint }

type Priced = { quotes: readonly RouteQuote[]; block: Head; amountIn: bigint; gasPrice: GasPrice }

/**
 * Simulates the best route and measures what arrives. A venue is skipped where the swap fails, or where a token takes a
 * transfer tax and the venue cannot enforce the minimum on what arrives after it; the best route of the other venue is
 * tried next. FAILED_PRECONDITION where every route was skipped; null where there was no route.
 */
export async function deliver(
  chain: Chain,
  { quotes, block, amountIn, gasPrice }: Priced,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<Delivery | null> {
  let remaining = quotes
  let why: string | null = null
  for (let best = bestRoute(remaining, gasPrice); best !== null; best = bestRoute(remaining, gasPrice)) {
    const { route, amountOut } = best
    const [arrival, gas] = await Promise.all([
      chain.arrivalOf(best, amountIn, block),
      chain.estimateSwapGas(best, amountIn),
    ])
    if (arrival === null) return { best, arrives: amountOut, taxBps: null, gas }
    if (arrival.ok) {
      const taxBps = lostBps(arrival.amountOut, amountOut)
      if (taxBps === 0 || enforcesArrival(route)) return { best, arrives: arrival.amountOut, taxBps, gas }
      why ??= `A token of the swap keeps ${taxBps} basis points of each transfer as a tax, and ${route.venue} cannot enforce a minimum on what arrives.`
    } else why ??= `The swap would fail: ${arrival.reason}. ${arrival.advice}`
    remaining = remaining.filter((other) => other.route.venue !== route.venue)
  }
  if (why === null) return null
  throw fail('FAILED_PRECONDITION', `${why} No other allowed venue can fill the swap.`)
}

/** Only the v2 router compares the minimum with what its recipient's balance gained. */
function enforcesArrival({ venue }: Route): boolean {
  return venue === 'uniswap_v2'
}

/** The tax is rounded up, so that it is never shown as zero. */
function lostBps(arrives: bigint, paid: bigint): number {
  return arrives >= paid ? 0 : Number(((paid - arrives) * 10_000n + paid - 1n) / paid)
}

/** A sentence on the transfer tax of a quote, with a leading space; empty where there is none. */
export function taxSentence(taxBps: unknown): string {
  return typeof taxBps !== 'number' || taxBps === 0
    ? ''
    : ` The tokens themselves keep ${taxBps} bps of it as a tax, which is already deducted.`
}
