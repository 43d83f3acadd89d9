import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { SandboxAsset, SandboxMarket, SandboxMarketState } from '../ports/market.ts'

type Operator = typeof contract.operator

/** Sets a price of the embedded market. INVALID_ARGUMENT where it is too far from the first one. */
export const setSandboxPrice: Handler<Operator['setSandboxPrice'], 'sandboxMarket'> = async (ports, input, call) => {
  const market = ours(ports.sandboxMarket, call.fail)
  const asset: SandboxAsset = input.symbol.endsWith('ETH') ? 'ETH' : 'BTC'
  const [lowest, highest] = market.range(asset)
  if (input.price_usd < lowest || input.price_usd > highest)
    throw invalid('price_usd', `must be from ${lowest} to ${highest} for ${asset}`)
  return present(await market.setPrice(asset, input.price_usd))
}

/** Lets the prices of the embedded market move or stand still, or changes their speed. */
export const setSandboxMarket: Handler<Operator['setSandboxMarket'], 'sandboxMarket'> = async (
  ports,
  { mode, speed },
  call,
) => {
  const change = { ...(mode === undefined ? {} : { mode }), ...(speed === undefined ? {} : { speed }) }
  return present(await ours(ports.sandboxMarket, call.fail).setRunning(change))
}

function ours(market: SandboxMarket | null, fail: Fail<'FAILED_PRECONDITION'>): SandboxMarket {
  if (market !== null) return market
  throw fail(
    'FAILED_PRECONDITION',
    'This gateway is on a public chain, whose prices cannot be set. Leave CHAIN_RPC_URL out to get the embedded chain.',
  )
}

function present({ mode, speed, usd, from }: SandboxMarketState): OutputOf<Operator['setSandboxMarket']> {
  const prices = Object.entries(usd).map(([symbol, price]) => ({ symbol, price_usd: cents(price) }))
  return { mode, speed, prices, effective_at: from.toISOString() }
}

function cents(usd: number): number {
  return Math.round(usd * 100) / 100
}
