import { type Address, encodePacked } from 'viem'
import { type Head, type Hex, type Route, type RouteQuote, sameAddress } from '../../../domain/ports/chains.ts'
import type { Pool, PoolBook } from '../pools/pool-book.ts'
import { createPoolStates, type PoolState } from '../pools/pool-states.ts'
import { swapV3, type V3Swap } from '../pools/v3-swap.ts'
import type { Connection } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { usualGas } from '../reads/gas.ts'
import { readAll } from '../reads/multicall.ts'
import { contractToken, wrappingRoute } from '../reads/native.ts'
import { v3Views } from '../reads/views.ts'

/** A swap without its amount. */
type Pair = { tokenIn: Address; tokenOut: Address }

/** A route, and its pools in the direction of the trade. */
type PricedRoute = { route: Route; hops: readonly Hop[] }

/** Quotes swaps over one connection. The largest output comes first; empty where no route can fill the amount. */
export type Quoting = (trade: Pair & { amountIn: bigint }) => Promise<{ quotes: RouteQuote[]; block: Head }>

/**
 * Prices every route at one block by the pools' own arithmetic. The pools of a pair are read once a block, in one round
 * trip once they are known. The quoter contract is asked for a v3 swap that passes more ticks than were read.
 */
export function createQuoting(connection: Connection, book: PoolBook): Quoting {
  const { deployment } = connection
  const statesAt = createPoolStates(connection)

  async function routesOf({ tokenIn, tokenOut }: Pair, block: Head): Promise<PricedRoute[]> {
    const known = soundTokens(deployment).map(({ address }) => address)
    const pools = await book.find(pairsFor(tokenIn, tokenOut, known), block)
    const states = await statesAt(pools, block)
    const byAddress = new Map(states.map((state) => [state.address, state]))
    return enumerateRoutes(tokenIn, tokenOut, known, pools).flatMap((route) => {
      const hops = hopsOf(route, byAddress)
      return hops === null ? [] : [{ route, hops }]
    })
  }

  return async ({ tokenIn, tokenOut, amountIn }) => {
    const view = await connection.view()
    const { block } = view
    const wrapping = wrappingRoute(deployment, tokenIn, tokenOut)
    if (wrapping !== null) {
      const quote = { route: wrapping, amountOut: amountIn, spotOut: amountIn, gas: usualGas(wrapping) }
      return { quotes: [quote], block }
    }
    const pair = { tokenIn: contractToken(deployment, tokenIn), tokenOut: contractToken(deployment, tokenOut) }
    const routes = await view.once(`routes ${pair.tokenIn} ${pair.tokenOut}`, () => routesOf(pair, block))
    const computed = new Map(routes.map((each) => [each, paidOver(each, amountIn)]))
    const asked = routes.filter((each) => computed.get(each) === null)
    const { quoter } = deployment.uniswap_v3
    const reads = asked.map(({ route }) => v3Views.quoteExactInput(quoter, pathOf(route), amountIn))
    for (const [index, answer] of (await readAll(connection, reads, block)).entries())
      computed.set(
        asked[index] as PricedRoute,
        answer === null ? null : { amountOut: answer[0], crossed: ticksOf(answer) },
      )
    const quotes = routes.flatMap((each): RouteQuote[] => {
      const { amountOut, crossed } = computed.get(each) ?? nothing
      if (amountOut === 0n) return []
      const { route, hops } = each
      const requested = { ...route, tokens: [tokenIn, ...route.tokens.slice(1, -1), tokenOut] }
      const spotOut = hops.reduce((amount, hop) => (amount * hop.out) / hop.in, amountIn)
      return [{ route: requested, amountOut, spotOut, gas: usualGas(requested, crossed) }]
    })
    quotes.sort((left, right) => (left.amountOut === right.amountOut ? 0 : left.amountOut > right.amountOut ? -1 : 1))
    return { quotes, block }
  }
}

const nothing: V3Swap = { amountOut: 0n, crossed: 0 }

/** The initialized ticks that the quoter counted in all pools. */
function ticksOf([, , ticks]: readonly [bigint, unknown, readonly number[], bigint]): number {
  return ticks.reduce((sum, each) => sum + each, 0)
}

/** What the pools of a route pay for an amount; null where too little is known of a v3 pool. */
function paidOver({ hops }: PricedRoute, amountIn: bigint): V3Swap | null {
  let paid: V3Swap = { amountOut: amountIn, crossed: 0 }
  for (const hop of hops) {
    const next =
      hop.venue === 'uniswap_v2'
        ? { amountOut: v2AmountOut(paid.amountOut, hop), crossed: 0 }
        : overV3(hop, paid.amountOut)
    if (next === null) return null
    paid = { amountOut: next.amountOut, crossed: paid.crossed + next.crossed }
  }
  return paid
}

function overV3({ v3, paysToken0 }: Hop, amountIn: bigint): V3Swap | null {
  return v3 === null ? null : swapV3(v3, paysToken0, amountIn)
}

/** A pool with its price in the direction of the trade; for v2 these are the reserves. */
type Hop = Pick<PoolState, 'venue' | 'v3'> & { paysToken0: boolean; in: bigint; out: bigint }

/** What a v2 pool pays for an amount, as its contract computes it; zero where it could not hold the amount. */
function v2AmountOut(amountIn: bigint, reserves: Pick<Hop, 'in' | 'out'>): bigint {
  if ((reserves.in + amountIn) >> bitsOfReserve !== 0n) return 0n
  const afterFee = amountIn * 997n
  return (afterFee * reserves.out) / (reserves.in * 1_000n + afterFee)
}

/** A v2 pool keeps its reserves in 112 bits each. */
const bitsOfReserve = 112n

/** The tokens and fees of a v3 route as its contracts pack them. */
export function pathOf({ tokens, feePips }: Route): Hex {
  const parts = tokens.flatMap((token, index) => {
    const fee = feePips[index]
    return fee === undefined
      ? [{ type: 'address', value: token }]
      : [
          { type: 'address', value: token },
          { type: 'uint24', value: fee },
        ]
  })
  return encodePacked(
    parts.map((part) => part.type),
    parts.map((part) => part.value),
  )
}

function hopsOf(route: Route, states: ReadonlyMap<Address, PoolState>): Hop[] | null {
  const hops: Hop[] = []
  for (const [index, address] of route.pools.entries()) {
    const state = states.get(address)
    const from = route.tokens[index]
    if (state === undefined || state.price === null || from === undefined) return null
    const { venue, v3, price } = state
    const paysToken0 = sameAddress(state.token0, from)
    const [paid, received] = paysToken0 ? [price.price0, price.price1] : [price.price1, price.price0]
    hops.push({ venue, v3, paysToken0, in: paid, out: received })
  }
  return hops
}

/** The pairs that a trade over one or two hops may need, given the tokens it may pass. */
function pairsFor(tokenIn: Address, tokenOut: Address, known: readonly Address[]): [Address, Address][] {
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
function enumerateRoutes(
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
