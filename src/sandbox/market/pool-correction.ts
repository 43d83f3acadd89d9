import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, maxUint128 } from 'viem'
import { v2PairAbi, v2RouterAbi, v3PoolAbi, v3RouterAbi } from '../deploy/abis.ts'
import { addresses, sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { sqrt } from '../deploy/integer-math.ts'
import { keeperStock, type MarketToken, type Pool } from '../deploy/market.ts'

/** The price of a pool: this amount of `b` is worth this amount of `a`. On v2 these are the reserves. */
type Ratio = { a: bigint; b: bigint }

/** The display name of a pool. */
export function poolName({ version, fee, a, b }: Pool): string {
  return `${a.symbol}/${b.symbol} v${version} ${fee / 10_000}%`
}

/** Reads the price of a pool. */
export async function readPool(pool: Pool, call: (to: Address, data: Hex) => Promise<Hex>): Promise<Ratio> {
  const aFirst = sorted(pool.a.address, pool.b.address)[0] === pool.a.address
  if (pool.version === 2) {
    const to = v2PairAddress(pool.a.address, pool.b.address)
    const data = await call(to, encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' }))
    const [reserve0, reserve1] = decodeFunctionResult({ abi: v2PairAbi, functionName: 'getReserves', data })
    return aFirst ? { a: reserve0, b: reserve1 } : { a: reserve1, b: reserve0 }
  }
  const to = v3PoolAddress(pool.a.address, pool.b.address, pool.fee)
  const data = await call(to, encodeFunctionData({ abi: v3PoolAbi, functionName: 'slot0' }))
  const [root] = decodeFunctionResult({ abi: v3PoolAbi, functionName: 'slot0', data })
  return aFirst ? { a: 1n << 192n, b: root * root } : { a: root * root, b: 1n << 192n }
}

/** The trade that brings a pool to its feeds' price, or null within the tolerance. Prices are in units of the feeds. */
export function correction(
  pool: Pool,
  ratio: Ratio,
  priceA: bigint,
  priceB: bigint,
  toleranceBps: bigint,
  recipient: Address,
): { to: Address; data: Hex } | null {
  const fair = { a: priceB * 10n ** BigInt(pool.a.decimals), b: priceA * 10n ** BigInt(pool.b.decimals) }
  // over > under: `a` costs more in the pool than by the feeds, so `a` must be sold to the pool.
  const [over, under] = [ratio.b * fair.a, ratio.a * fair.b]
  const off = ((over > under ? over - under : under - over) * 10_000n) / under
  if (off <= toleranceBps) return null
  const sellA = over > under
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
): { to: Address; data: Hex } {
  const amountIn = ((sqrt((reserveIn * reserveOut * fairIn) / fairOut) - reserveIn) * 1_000n) / 997n
  const args = [amountIn, 0n, [tokenIn.address, tokenOut.address], recipient, maxUint128] as const
  return {
    to: addresses.v2Router,
    data: encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args }),
  }
}

/** On v3 the price limit ends the trade at the fair price. `fair.a` belongs to the token that is sold. */
function v3Trade(
  { fee }: Pool,
  tokenIn: MarketToken,
  tokenOut: MarketToken,
  fair: Ratio,
  recipient: Address,
): { to: Address; data: Hex } {
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
  return {
    to: addresses.v3Router,
    data: encodeFunctionData({ abi: v3RouterAbi, functionName: 'exactInputSingle', args: [params] }),
  }
}

/** An upper bound: the router takes no more than it needs to reach the price limit. */
function stockOf(token: MarketToken): bigint {
  return { WETH: keeperStock.weth, USDC: keeperStock.usdc, WBTC: keeperStock.wbtc }[token.symbol] ?? 0n
}
