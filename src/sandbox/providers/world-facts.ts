import type { Request } from '../requests/public-requests.ts'
import { type MarketFacts, readMarket } from './market-facts.ts'
import { createSwapIndex, type IndexedSwap } from './swap-index.ts'

export const daySeconds = 86_400

/** What the services tell of the embedded chain: public data alone. */
export type World = {
  chainId: number
  /** At the newest block, read at most once a second. */
  market(): Promise<MarketFacts>
  swaps(): Promise<{ swaps: readonly IndexedSwap[]; from: number; to: number }>
}

/** Makes the facts of a running chain; nothing is read before a service is asked. */
export function worldFacts(options: { request: Request; chainId: number; firstBlock: number }): World {
  const index = createSwapIndex(options.request, options.firstBlock)
  let kept: { at: number; facts: Promise<MarketFacts> } | null = null
  return {
    chainId: options.chainId,
    market() {
      const now = performance.now()
      if (kept !== null && now - kept.at < 1_000) return kept.facts
      const asked = { at: now, facts: readMarket(options.request) }
      kept = asked
      asked.facts.catch(() => {
        if (kept === asked) kept = null
      })
      return asked.facts
    },
    swaps: () => index.read(),
  }
}

/** What one side of a swap is worth in US dollars, at the present prices; below 0 where the pool gave it. */
export function worthOf({ prices }: MarketFacts, swap: IndexedSwap, side: 0 | 1): number {
  const [amount, token] = side === 0 ? [swap.amount0, swap.pool.token0] : [swap.amount1, swap.pool.token1]
  return amount * (prices.get(token.symbol) ?? 0)
}
