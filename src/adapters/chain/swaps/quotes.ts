import { type Address, encodePacked } from 'viem'
import { type Head, type Hex, type Route, type RouteQuote, sameAddress } from '../../../domain/ports/chains.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { usualGas } from '../reads/gas.ts'
import { readAll } from '../reads/multicall.ts'
import { contractToken, wrappingRoute } from '../reads/native.ts'
import { type Pool, type PoolBook, type PoolPrice, priceOf, priceReading } from '../reads/pools.ts'
import { v3Views } from '../reads/views.ts'

/**
 * Prices every route at one block: v2 from the reserves with exact arithmetic, v3 by the quoter contract. It takes two
 * round trips once the pools are known. The largest output comes first; empty where no route can fill the amount.
 */
export async function quoteRoutes(
  connection: Connection,
  book: PoolBook,
  trade: { tokenIn: Address; tokenOut: Address; amountIn: bigint },
): Promise<{ quotes: RouteQuote[]; block: Head }> {
  const { deployment } = connection
  const { amountIn } = trade
  const block = await readHead(connection)
  const wrapping = wrappingRoute(deployment, trade.tokenIn, trade.tokenOut)
  if (wrapping !== null) {
    const quote = { route: wrapping, amountOut: amountIn, spotOut: amountIn, gas: usualGas(wrapping) }
    return { quotes: [quote], block }
  }
  const tokenIn = contractToken(deployment, trade.tokenIn)
  const tokenOut = contractToken(deployment, trade.tokenOut)
  const known = soundTokens(deployment).map(({ address }) => address)
  const pools = await book.find(pairsFor(tokenIn, tokenOut, known), block.number)
  const routes = enumerateRoutes(tokenIn, tokenOut, known, pools)
  const { quoter } = deployment.uniswap_v3
  const overV3 = routes.filter((route) => route.venue === 'uniswap_v3')
  const quoteReads = overV3.map((route) => v3Views.quoteExactInput(quoter, pathOf(route), amountIn))
  const values = await readAll(connection, [...pools.map(priceReading), ...quoteReads], block.number)

  const prices = new Map(
    pools.map((pool, index) => [pool.address, priceOf(pool, values[index] as readonly unknown[] | null)]),
  )
  const quoted = new Map(
    overV3.map((route, index) => [route, (values[pools.length + index] as readonly bigint[] | null)?.[0]]),
  )
  const byAddress = new Map(pools.map((pool) => [pool.address, pool]))
  const quotes = routes.flatMap((route): RouteQuote[] => {
    const hops = hopsOf(route, byAddress, prices)
    if (hops === null) return []
    const amountOut = route.venue === 'uniswap_v3' ? (quoted.get(route) ?? 0n) : hops.reduce(v2AmountOut, amountIn)
    const spotOut = hops.reduce((amount, hop) => (amount * hop.out) / hop.in, amountIn)
    const requested = { ...route, tokens: [trade.tokenIn, ...route.tokens.slice(1, -1), trade.tokenOut] }
    return amountOut === 0n ? [] : [{ route: requested, amountOut, spotOut, gas: usualGas(requested) }]
  })
  quotes.sort((left, right) => (left.amountOut === right.amountOut ? 0 : left.amountOut > right.amountOut ? -1 : 1))
  return { quotes, block }
}

/** A hop's price in the direction of the trade; for v2 these are the reserves. */
type Hop = { in: bigint; out: bigint }

/** What a v2 pool pays for an amount, as its contract computes it. */
function v2AmountOut(amountIn: bigint, reserves: Hop): bigint {
  const afterFee = amountIn * 997n
  return (afterFee * reserves.out) / (reserves.in * 1_000n + afterFee)
}

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

function hopsOf(
  route: Route,
  pools: ReadonlyMap<Address, Pool>,
  prices: ReadonlyMap<Address, PoolPrice | null>,
): Hop[] | null {
  const hops: Hop[] = []
  for (const [index, address] of route.pools.entries()) {
    const pool = pools.get(address)
    const price = prices.get(address)
    const from = route.tokens[index]
    if (pool === undefined || price == null || from === undefined) return null
    hops.push(
      sameAddress(pool.token0, from)
        ? { in: price.price0, out: price.price1 }
        : { in: price.price1, out: price.price0 },
    )
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
