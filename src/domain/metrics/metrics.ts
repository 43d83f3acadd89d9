import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { unrealized } from '../books/average-cost.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { nativeToken, sameAddress } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { GasOf, PositionRow } from '../ports/ledger.ts'
import { decimalText, tvlChain } from '../tools/provider-names.ts'
import { usdNumber, usdText } from '../values/money.ts'
import { periodOf } from '../values/period.ts'
import { presentBooked } from './present-position.ts'
import { unpricedOf, type ValuedNeeds, type ValuedPosition, valuedPositions } from './valued-positions.ts'

type Presented = OutputOf<typeof contract.metrics.positions>[number]

/** The account's open positions, filtered by the fields of the request; symbols and addresses in any letter case. */
export const positions: Handler<typeof contract.metrics.positions, ValuedNeeds> = async (ports, input, call) => {
  const { agent, wallet_address, token_symbol, token_address } = input
  const filter = { userId: call.principal.userId, ...(agent === undefined ? {} : { agent }) }
  const matches = (wanted: string | undefined, actual: string) =>
    wanted === undefined || wanted.toLowerCase() === actual.toLowerCase()
  const [held, gas] = await Promise.all([valuedPositions(ports, filter), ports.ledger.gas(filter.userId)])
  return held
    .filter(
      ({ row, token }) =>
        matches(wallet_address, row.walletAddress) &&
        matches(token_address, row.token) &&
        matches(token_symbol, token.symbol),
    )
    .map((one) => present(ports, one, gas))
}

function present(ports: Pick<Ports, 'chains'>, { row, worth }: ValuedPosition, gas: readonly GasOf[]): Presented {
  const gasUsd = gasIn(row, gas)
  const profit = worth === null ? null : unrealized(row, worth.valueUsd)
  const number = (usd: bigint | null) => (usd === null ? null : usdNumber(usd))
  const text = (usd: bigint | null) => (usd === null ? null : usdText(usd))
  return {
    ...presentBooked(ports, row),
    last_price_usd: number(worth?.priceUsd ?? null),
    last_price_usd_decimal: text(worth?.priceUsd ?? null),
    market_value_usd: number(worth?.valueUsd ?? null),
    market_value_usd_decimal: text(worth?.valueUsd ?? null),
    unrealized_pnl_usd: number(profit),
    unrealized_pnl_usd_decimal: text(profit),
    gas_usd: usdNumber(gasUsd),
    gas_usd_decimal: usdText(gasUsd),
  }
}

/** The gas that a position realised as a loss: it is paid in the native currency alone. */
function gasIn({ token, agent, chainId, walletAddress }: PositionRow, gas: readonly GasOf[]): bigint {
  if (!sameAddress(token, nativeToken)) return 0n
  const own = gas.find(
    (one) => one.agent === agent && one.chainId === chainId && sameAddress(one.walletAddress, walletAddress),
  )
  return own?.gasUsd ?? 0n
}

/** Profit of everything the account sold, closed positions included, less gas. */
export const realizedPnl: Handler<typeof contract.metrics.realizedPnl, 'ledger'> = async (ports, _input, call) => {
  const { userId } = call.principal
  const [rows, gas] = await Promise.all([ports.ledger.positions({ userId }), ports.ledger.gas(userId)])
  const total = rows.reduce((sum, { realizedPnlUsd }) => sum + realizedPnlUsd, 0n)
  const paid = gas.reduce((sum, { gasUsd }) => sum + gasUsd, 0n)
  return {
    realized_pnl_usd: usdNumber(total),
    realized_pnl_usd_decimal: usdText(total),
    gas_usd: usdNumber(paid),
    gas_usd_decimal: usdText(paid),
  }
}

/** Value less cost of every holding that has a feed price, and the symbols of those that have none. */
export const unrealizedPnl: Handler<typeof contract.metrics.unrealizedPnl, ValuedNeeds> = async (
  ports,
  _input,
  call,
) => {
  const held = await valuedPositions(ports, { userId: call.principal.userId })
  const total = held.reduce((sum, { row, worth }) => sum + (worth === null ? 0n : unrealized(row, worth.valueUsd)), 0n)
  return {
    unrealized_pnl_usd: usdNumber(total),
    unrealized_pnl_usd_decimal: usdText(total),
    unpriced: unpricedOf(held),
  }
}

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

/** What the account traded from `start` (inclusive) to `end` (exclusive), in total and by agent. */
export const volume: Handler<typeof contract.metrics.volume, 'ledger'> = async (ports, input, call) => {
  const { agent } = input
  const sums = await ports.ledger.volume({
    userId: call.principal.userId,
    ...(agent === undefined ? {} : { agent }),
    ...periodOf(input),
  })
  const total = sums.reduce((sum, { valueUsd }) => sum + valueUsd, 0n)
  return {
    total_volume_usd: usdNumber(total),
    by_agent: sums
      .filter(({ valueUsd }) => valueUsd !== 0n)
      .map(({ agent: key, valueUsd }) => ({
        key,
        value: usdNumber(valueUsd),
        value_decimal: usdText(valueUsd),
      })),
    total_volume_usd_decimal: usdText(total),
  }
}
