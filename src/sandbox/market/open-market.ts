import type { Address, Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import type { Emit } from '../kit/events.ts'
import { marketFile } from '../kit/files.ts'
import { type MarketMode, type MarketPrices, type MarketSettings, openClock, type PriceClock } from './clock.ts'
import { createKeeper } from './keeper.ts'
import type { Asset } from './path.ts'

/** The prices of the sandbox, and the hands on them. What a hand changes holds from the next block on. */
export type Market = MarketPrices & {
  /** Null while nothing has moved the market yet. */
  readonly seed: string | null
  /** The account whose swaps bring the prices to the pools. */
  arbitrageur: Address
  /** How it runs from the next block on. */
  running(): Pick<MarketState, 'mode' | 'speed'>
  /** Throws RangeError where the price is too far from the first one. */
  setPrice(asset: Asset, usd: number): MarketState
  setRunning(change: Partial<{ mode: MarketMode; speed: number }>): MarketState
}

/** How the market runs from a moment on, in seconds since 1970, and what its prices are then. */
export type MarketState = { mode: MarketMode; speed: number; at: number; usd: Record<Asset, number> }

type MarketOptions = {
  chain: Chain
  chainId: number
  blockTimeSeconds: number
  /** The folder of the chain. */
  dir: string
  /** Whether the chain begins with this start. */
  fresh: boolean
  settings: MarketSettings
  /** Writes the feeds and trades the pools. */
  account: PrivateKeyAccount
  emit: Emit
}

/** The running market. `tick` is to be called after each block. */
type OpenMarket = { market: Market; tick: () => Promise<void>; close: () => Promise<void> }

/** Opens the market of a chain's folder. Throws an Error that says what to do where its file cannot be used. */
export async function openMarket(options: MarketOptions): Promise<OpenMarket> {
  const { chain, chainId, blockTimeSeconds, dir, fresh, settings, account, emit } = options
  /** The first moment whose prices have not been served yet. */
  const now = () => Math.max(chain.head().timestamp + blockTimeSeconds, Math.ceil(Date.now() / 1000))
  const first = (await chain.read('eth_getBlockByNumber', ['0x0', false])) as { timestamp: Hex }
  const chainBegan = Number(first.timestamp)
  const clock = openClock({ ...settings, file: marketFile(dir), chainBegan, fresh, now: now() })
  const isMoving = () => clock.seed !== null
  const { read, submit } = chain
  const keeper = createKeeper({ account, chainId, read, submit, now, prices: clock, isMoving, emit })

  function changed(change: (at: number) => void): MarketState {
    const at = now()
    change(at)
    void keeper.tick()
    return stateAt(clock, at)
  }
  return {
    market: {
      began: clock.began,
      arbitrageur: account.address,
      usd: clock.usd,
      get seed() {
        return clock.seed
      },
      running: () => clock.running(now()),
      setPrice: (asset, usd) => changed((at) => clock.setPrice(asset, usd, at)),
      setRunning: (change) => changed((at) => clock.setRunning(change, at)),
    },
    tick: keeper.tick,
    close: keeper.close,
  }
}

function stateAt(clock: PriceClock, at: number): MarketState {
  return { ...clock.running(at), at, usd: { ETH: clock.usd('ETH', at), BTC: clock.usd('BTC', at) } }
}
