import { slotMs } from '../../../domain/ports/ledger.ts'
import { earlierProfits } from '../trading/earlier-profits.ts'

/** Rows of the trades and the positions as both databases answer them. */
export type FillProfit = { user_id: number | string; agent: string; at: Date | string | number; realized: string }
export type PositionProfit = FillProfit & { wallet_address: string; chain_id: number | string }

/**
 * The statements that write the realised profits of a database from before they were stored. What an account's positions
 * realised beyond its trades was gas: it becomes one entry, at the last change of its positions. Values are its own, quoted.
 */
export function profitOfFills(fills: readonly FillProfit[], positions: readonly PositionProfit[]): string[] {
  const fillsOf = Map.groupBy(fills, ({ user_id }) => Number(user_id))
  const rest = [...Map.groupBy(positions, ({ user_id }) => Number(user_id))].flatMap(([userId, own]) => {
    const gas = sum(own) - sum(fillsOf.get(userId) ?? [])
    const [latest] = own.toSorted((a, b) => new Date(b.at).getTime() - new Date(a.at).getTime())
    return gas === 0n || latest === undefined ? [] : [{ ...latest, realized: `${gas}` }]
  })
  return [
    `insert into profit (reference, user_id, agent, wallet_address, chain_id, profit_usd, gas_usd, opened_at, at)
       select execution_id, user_id, agent, wallet_address, chain_id, realized_pnl_usd, '0', null, at from fill`,
    ...rest.map(({ user_id, agent, wallet_address, chain_id, realized }) => {
      const latest = `(select max(updated_at) from position where user_id = ${Number(user_id)})`
      const gas = realized.startsWith('-') ? realized.slice(1) : '0'
      return `insert into profit (reference, user_id, agent, wallet_address, chain_id, profit_usd, gas_usd, opened_at, at)
        values (${quote(earlierProfits(Number(user_id)))}, ${Number(user_id)}, ${quote(agent)}, ${quote(wallet_address)},
          ${Number(chain_id)}, '${BigInt(realized)}', '${gas}', null, ${latest})`
    }),
    ...sumsOf([...fills, ...rest]),
  ]
}

function sumsOf(profits: readonly FillProfit[]): string[] {
  const sums = new Map<string, bigint>()
  for (const { user_id, agent, at, realized } of profits) {
    for (const size of ['hour', 'day'] as const) {
      const key = `${Number(user_id)}, ${quote(agent)}, '${size}', ${Math.floor(new Date(at).getTime() / slotMs[size])}`
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(realized))
    }
  }
  return [...sums].map(
    ([key, total]) =>
      `insert into volume (user_id, agent, size, slot, value_usd, realized_usd) values (${key}, '0', '${total}')
         on conflict (user_id, size, slot, agent) do update set realized_usd = excluded.realized_usd`,
  )
}

function sum(rows: readonly { realized: string }[]): bigint {
  return rows.reduce((total, { realized }) => total + BigInt(realized), 0n)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
