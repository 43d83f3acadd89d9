import type { Address } from 'viem'
import { type Hex, type Route, sameAddress } from '../../../domain/ports/chains.ts'
import type { Pool } from '../reads/pools.ts'

/** The pairs that a trade over one or two hops may need, given the tokens it may pass. */
export function pairsFor(tokenIn: Address, tokenOut: Address, known: readonly Address[]): [Address, Address][] {
  const between = middles(tokenIn, tokenOut, known)
  return [
    [tokenIn, tokenOut],
    ...between.flatMap((middle): [Address, Address][] => [
      [tokenIn, middle],
      [middle, tokenOut],
    ]),
  ]
}

/** All routes of one or two hops over the pools. A route stays on one venue. */
export function enumerateRoutes(
  tokenIn: Address,
  tokenOut: Address,
  known: readonly Address[],
  pools: readonly Pool[],
): Route[] {
  const joining = (a: Address, b: Address, venue: Pool['venue']) =>
    pools.filter((pool) => pool.venue === venue && hasBoth(pool, a, b))
  const venues = ['uniswap_v2', 'uniswap_v3'] as const
  return venues.flatMap((venue) => [
    ...joining(tokenIn, tokenOut, venue).map((pool) => routeOf(venue, [tokenIn, tokenOut], [pool])),
    ...middles(tokenIn, tokenOut, known).flatMap((middle) =>
      joining(tokenIn, middle, venue).flatMap((first) =>
        joining(middle, tokenOut, venue).map((second) => routeOf(venue, [tokenIn, middle, tokenOut], [first, second])),
      ),
    ),
  ])
}

function routeOf(venue: Route['venue'], tokens: Hex[], pools: Pool[]): Route {
  return { venue, tokens, feePips: pools.map((pool) => pool.feePips), pools: pools.map((pool) => pool.address) }
}

function middles(tokenIn: Address, tokenOut: Address, known: readonly Address[]): Address[] {
  return known.filter((token) => !sameAddress(token, tokenIn) && !sameAddress(token, tokenOut))
}

function hasBoth(pool: Pool, a: Address, b: Address): boolean {
  return (
    (sameAddress(pool.token0, a) && sameAddress(pool.token1, b)) ||
    (sameAddress(pool.token0, b) && sameAddress(pool.token1, a))
  )
}
