import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, maxUint128 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { feedAbi, v2PairAbi, v2RouterAbi, v3PoolAbi, v3RouterAbi } from '../deploy/abis.ts'
import { addresses, sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { sqrt } from '../deploy/integer-math.ts'
import { heartbeatSeconds, keeperStock, keptFeeds, type MarketToken, type Pool, pools } from '../deploy/market.ts'
import { asError, type Emit } from '../kit/events.ts'
import { type Signed, signed } from '../pool/pending-pool.ts'

/** Maintains the market: refreshes stale feeds, and trades pools back to the prices of their feeds. */
type Keeper = {
  /** Checks everything once and acts where it is due. Failures are events. */
  tick: () => Promise<void>
  /** Waits for the running tick. No other one starts. */
  close: () => Promise<void>
}

export type KeeperOptions = {
  account: PrivateKeyAccount
  chainId: number
  read: (method: string, params: unknown[]) => Promise<unknown>
  submit: (transaction: Signed) => Promise<void>
  /** The time of the next block in seconds since 1970. */
  now: () => number
  emit: Emit
  /** Feeds older than this are refreshed. */
  refreshSeconds?: number
  /** Pools whose price differs from their feeds' by more are traded back. */
  toleranceBps?: bigint
}

/** An action is not repeated sooner, since its effect is visible only after a block. */
const cooldownSeconds = 30

/** Creates a keeper. `tick` is to be called after each block. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { account, now, emit } = options
  const refreshSeconds = options.refreshSeconds ?? heartbeatSeconds / 3
  const toleranceBps = options.toleranceBps ?? 100n
  const lastAction = new Map<string, number>()
  let ticking: Promise<void> | undefined
  let closed = false

  /** Runs one duty unless it ran recently. A failure has the same cooldown as a success. */
  async function duty(
    subject: string,
    work: () => Promise<Hex | null>,
    action: 'feed-refreshed' | 'pool-corrected',
  ): Promise<void> {
    if (closed || now() - (lastAction.get(subject) ?? 0) < cooldownSeconds) return
    try {
      const hash = await work()
      if (!hash) return
      emit({ type: 'keeper-acted', action, subject, hash })
    } catch (thrown) {
      if (!closed) emit({ type: 'keeper-failed', subject, error: asError(thrown) })
    }
    lastAction.set(subject, now())
  }

  async function check(): Promise<void> {
    const prices = new Map<string, bigint>()
    for (const { pair, name } of keptFeeds) {
      const to = addresses[name]
      const feed = await readFeed(options, to).catch((thrown: unknown) => {
        if (!closed) emit({ type: 'keeper-failed', subject: pair, error: asError(thrown) })
      })
      if (!feed) continue
      prices.set(name, feed.answer)
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'update', args: [feed.answer] })
      if (now() - feed.updatedAt >= refreshSeconds) await duty(pair, () => send(options, to, data), 'feed-refreshed')
    }
    for (const pool of pools) {
      const [priceA, priceB] = [prices.get(pool.a.feed), prices.get(pool.b.feed)]
      if (!priceA || !priceB) continue
      await duty(
        poolName(pool),
        async () => {
          const ratio = await readPool(pool, (to, data) => call(options, to, data))
          const trade = correction(pool, ratio, priceA, priceB, toleranceBps, account.address)
          return trade && send(options, trade.to, trade.data)
        },
        'pool-corrected',
      )
    }
  }

  return {
    tick: async () => {
      // A slow check is joined, not doubled: two at once would use the same nonce.
      ticking ??= check().finally(() => {
        ticking = undefined
      })
      return ticking
    },
    close: async () => {
      closed = true
      await ticking
    },
  }
}

async function call({ read }: KeeperOptions, to: Address, data: Hex): Promise<Hex> {
  return (await read('eth_call', [{ to, data }, 'latest'])) as Hex
}

/** Signs and submits a transaction of the keeper. Returns its hash. */
async function send({ account, chainId, read, submit }: KeeperOptions, to: Address, data: Hex): Promise<Hex> {
  const nonce = Number(await read('eth_getTransactionCount', [account.address, 'pending']))
  const gasPrice = BigInt(String(await read('eth_gasPrice', []))) * 2n
  const raw = await account.signTransaction({ type: 'legacy', chainId, nonce, gasPrice, to, data, gas: 600_000n })
  const transaction = signed(raw, account.address, nonce)
  await submit(transaction)
  return transaction.hash
}

async function readFeed(options: KeeperOptions, address: Address): Promise<{ answer: bigint; updatedAt: number }> {
  const latest = { abi: feedAbi, functionName: 'latestRoundData' } as const
  const data = await call(options, address, encodeFunctionData(latest))
  const [, answer, , updatedAt] = decodeFunctionResult({ ...latest, data })
  return { answer, updatedAt: Number(updatedAt) }
}

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
