import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { v2PairAbi, v3PoolAbi, v3RouterAbi } from '../deploy/abis.ts'
import { sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { sqrt } from '../deploy/integer-math.ts'
import { keeperStock, type MarketToken, type Pool } from '../deploy/market.ts'

/** The price of a pool: this amount of `b` is worth this amount of `a`. On v2 these are the reserves. */
type Ratio = { a: bigint; b: bigint }

/** The display name of a pool. */
export function poolName({ version, fee, a, b }: Pool): string {
  return `${a.symbol}/${b.symbol} v${version} ${fee / 10_000}%`
}

/** The call that reads the price of a pool. */
export function poolQuery({ version, fee, a, b }: Pool): { to: Address; data: Hex } {
  if (version === 2)
    return {
      to: v2PairAddress(a.address, b.address),
      data: encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' }),
    }
  return {
    to: v3PoolAddress(a.address, b.address, fee),
    data: encodeFunctionData({ abi: v3PoolAbi, functionName: 'slot0' }),
  }
}

/** The price of a pool in the result of that call. */
export function ratioOf({ version, a, b }: Pool, data: Hex): Ratio {
  const aFirst = sorted(a.address, b.address)[0] === a.address
  if (version === 2) {
    const [reserve0, reserve1] = decodeFunctionResult({ abi: v2PairAbi, functionName: 'getReserves', data })
    return aFirst ? { a: reserve0, b: reserve1 } : { a: reserve1, b: reserve0 }
  }
  const [root] = decodeFunctionResult({ abi: v3PoolAbi, functionName: 'slot0', data })
  return aFirst ? { a: 1n << 192n, b: root * root } : { a: root * root, b: 1n << 192n }
}

/** What an amount of `a` and of `b` of a pool is worth the same by prices in units of feeds. */
function fairRatio({ a, b }: Pool, priceA: bigint, priceB: bigint): Ratio {
  return { a: priceB * 10n ** BigInt(a.decimals), b: priceA * 10n ** BigInt(b.decimals) }
}

/** By how many millionths the price of a pool differs from that of its tokens, in units of feeds. */
export function offBy(pool: Pool, ratio: Ratio, priceA: bigint, priceB: bigint): bigint {
  const fair = fairRatio(pool, priceA, priceB)
  const [over, under] = [ratio.b * fair.a, ratio.a * fair.b]
  return ((over > under ? over - under : under - over) * 1_000_000n) / under
}

/** The trade over the router that brings a pool to the price of its tokens, in units of feeds. */
export function correction(pool: Pool, ratio: Ratio, priceA: bigint, priceB: bigint, recipient: Address): Hex {
  const fair = fairRatio(pool, priceA, priceB)
  // `a` costs more in the pool than it is worth, so `a` must be sold to the pool.
  const sellA = ratio.b * fair.a > ratio.a * fair.b
  const [tokenIn, tokenOut] = sellA ? [pool.a, pool.b] : [pool.b, pool.a]
  if (pool.version === 3) return v3Trade(pool, tokenIn, tokenOut, sellA ? fair : { a: fair.b, b: fair.a }, recipient)
  return sellA
    ? v2Trade(tokenIn, tokenOut, ratio.a, ratio.b, fair.a, fair.b, recipient)
    : v2Trade(tokenIn, tokenOut, ratio.b, ratio.a, fair.b, fair.a, recipient)
}

/** With reserves x and y the price is fair at x' = sqrt(x * y * fairIn / fairOut). The input is raised by the pool's fee. */
function v2Trade(
  tokenIn: MarketToken,
  tokenOut: MarketToken,
  reserveIn: bigint,
  reserveOut: bigint,
  fairIn: bigint,
  fairOut: bigint,
  recipient: Address,
): Hex {
  const amountIn = ((sqrt((reserveIn * reserveOut * fairIn) / fairOut) - reserveIn) * 1_000n) / 997n
  const args = [amountIn, 0n, [tokenIn.address, tokenOut.address], recipient] as const
  return encodeFunctionData({ abi: v3RouterAbi, functionName: 'swapExactTokensForTokens', args })
}

/** On v3 the price limit ends the trade at the fair price. `fair.a` belongs to the token that is sold. */
function v3Trade({ fee }: Pool, tokenIn: MarketToken, tokenOut: MarketToken, fair: Ratio, recipient: Address): Hex {
  const inFirst = sorted(tokenIn.address, tokenOut.address)[0] === tokenIn.address
  const [amount0, amount1] = inFirst ? [fair.a, fair.b] : [fair.b, fair.a]
  const params = {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    fee,
    recipient,
    amountIn: stockOf(tokenIn),
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: sqrt((amount1 << 192n) / amount0),
  }
  return encodeFunctionData({ abi: v3RouterAbi, functionName: 'exactInputSingle', args: [params] })
}

/** An upper bound: the router takes no more than it needs to reach the price limit. */
function stockOf(token: MarketToken): bigint {
  return { WETH: keeperStock.weth, USDC: keeperStock.usdc, WBTC: keeperStock.wbtc }[token.symbol] ?? 0n
}
