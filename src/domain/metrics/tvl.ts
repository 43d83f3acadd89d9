import type { contract } from '../../contract/index.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import { decimalText, tvlChain } from '../tools/provider-names.ts'
import { usdNumber, usdText } from '../values/money.ts'
import { unpricedOf, type ValuedNeeds, valuedPositions } from './valued-positions.ts'

/**
 * The value of what the caller's agents hold, at current feed prices, and the tokens without a price. With mode tvlfeed,
 * what the TVL provider reports for a chain.
 */
export const tvl: Handler<typeof contract.metrics.tvl, ValuedNeeds | 'providers'> = async (ports, input, call) => {
  if (input.mode === 'tvlfeed') return await reported(ports, input.chain, call)
  if (input.chain !== undefined) throw invalid('chain', 'needs mode tvlfeed: send that too, or leave the chain out')
  const held = await valuedPositions(ports, { userId: call.principal.userId })
  const total = held.reduce((sum, { worth }) => sum + (worth?.valueUsd ?? 0n), 0n)
  const feeds = [...new Set(held.flatMap(({ token, worth }) => (worth === null ? [] : [token.usdFeed])))].sort()
  const source = feeds.length === 0 ? 'agent positions' : `agent positions at the feeds ${feeds.join(', ')}`
  return { tvl_usd: usdNumber(total), source, tvl_usd_decimal: usdText(total), unpriced: unpricedOf(held) }
}

async function reported(
  { chains, providers }: Pick<Ports, 'chains' | 'providers'>,
  name: string | undefined,
  { signal, fail }: { signal: AbortSignal; fail: Fail<'NOT_FOUND'> },
) {
  const { value, source } = await providers.tvl.chains(signal)
  const { tvlUsd, synthetic } = tvlChain(value, chains, name ?? String(chains.default.info.id), fail)
  const named = synthetic ? `${source}, synthetic` : source
  return { tvl_usd: tvlUsd, source: named, tvl_usd_decimal: decimalText(tvlUsd), unpriced: [] }
}
