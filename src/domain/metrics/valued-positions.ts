import { type ReconcileNeeds, reconciledPositions } from '../books/reconcile.ts'
import type { Chain, Token } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'
import { heldToken } from './present-position.ts'

/** An open position with its token. `worth` is in 1e-18 USD; null where the token has no current feed price. */
export type ValuedPosition = { row: PositionRow; token: Token; worth: { valueUsd: bigint; priceUsd: bigint } | null }

export type ValuedNeeds = ReconcileNeeds

/**
 * The account's open positions at current feed prices. The books are first reconciled with what its wallets received and
 * sent. Positions on chains that are not connected are left out.
 */
export async function valuedPositions(
  ports: Pick<Ports, ValuedNeeds>,
  filter: { userId: number; agent?: string },
): Promise<ValuedPosition[]> {
  // A chain reads all its feeds at once, so they are there when the balances are.
  for (const chain of ports.chains.all) chain.price(chain.info.nativeUsdFeed).catch(() => undefined)
  const rows = await reconciledPositions(ports, filter.userId)
  const open = rows.filter(({ quantity, agent }) => quantity > 0n && (filter.agent ?? agent) === agent)
  const byChain = Map.groupBy(open, ({ chainId }) => chainId)
  const valued = [...byChain].map(async ([chainId, rows]) => {
    const chain = ports.chains.find(chainId)
    return chain === null ? [] : await valuedOn(ports, chain, rows)
  })
  return (await Promise.all(valued)).flat()
}

/** Symbols of the tokens that a total leaves out, each once. */
export function unpricedOf(held: readonly ValuedPosition[]): string[] {
  return [...new Set(held.filter(({ worth }) => worth === null).map(({ token }) => token.symbol))].sort()
}

async function valuedOn(
  ports: Pick<Ports, 'chains'>,
  chain: Chain,
  rows: readonly PositionRow[],
): Promise<ValuedPosition[]> {
  const usd = openPrices(chain, { freshOnly: true })
  return await Promise.all(
    rows.map(async (row) => {
      const token = heldToken(ports, row)
      const priceUsd = await usd(row.token, 10n ** BigInt(token.decimals))
      const valueUsd = await usd(row.token, row.quantity)
      return { row, token, worth: priceUsd === null || valueUsd === null ? null : { priceUsd, valueUsd } }
    }),
  )
}
