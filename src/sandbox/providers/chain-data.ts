import type { Request } from '../requests/public-requests.ts'
import { cents, type MarketFacts, readMarket } from './market-facts.ts'
import { createSwapIndex, type IndexedSwap } from './swap-index.ts'

export const daySeconds = 86_400

/** The public data of the embedded chain that the providers serve. */
export type ChainData = {
  chainId: number
  /** The data at the newest block, read at most once a second. */
  market(): Promise<MarketFacts>
  swaps(): Promise<{ swaps: readonly IndexedSwap[]; from: number; to: number }>
}

/** Creates a reader of the chain's data. Nothing is read before the first call. */
export function openChainData(options: { request: Request; chainId: number; firstBlock: number }): ChainData {
  const index = createSwapIndex(options.request, options.firstBlock)
  let cached: { at: number; facts: Promise<MarketFacts> } | null = null
  return {
    chainId: options.chainId,
    market() {
      const now = performance.now()
      if (cached !== null && now - cached.at < 1_000) return cached.facts
      const read = { at: now, facts: readMarket(options.request) }
      cached = read
      read.facts.catch(() => {
        if (cached === read) cached = null
      })
      return read.facts
    },
    swaps: () => index.read(),
  }
}

/** The value of one side of a swap in US dollars at current prices, negative where the pool paid it. */
export function worthOf({ prices }: MarketFacts, swap: IndexedSwap, side: 0 | 1): number {
  const [amount, token] = side === 0 ? [swap.amount0, swap.pool.token0] : [swap.amount1, swap.pool.token1]
  return amount * (prices.get(token.symbol) ?? 0)
}

/** The traded volume of swaps in US dollars at current prices. */
export function volumeOf(market: MarketFacts, swaps: readonly IndexedSwap[]): number {
  return cents(swaps.reduce((sum, swap) => sum + Math.abs(worthOf(market, swap, 0)), 0))
}
