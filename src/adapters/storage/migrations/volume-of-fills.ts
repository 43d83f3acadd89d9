import type { SlotSize as Size } from '../../../domain/ports/ledger.ts'
import { slotMs } from '../../../domain/ports/ledger.ts'

/** A row of the trades as both databases answer it. */
export type Fill = { user_id: number | string; agent: string; at: Date | string | number; value_usd: string }

/** The statements that sum the trades of a database from before its sums were kept. Values are its own, quoted. */
export function volumeOfFills(fills: readonly Fill[]): string[] {
  const sums = new Map<string, bigint>()
  for (const { user_id, agent, at, value_usd } of fills) {
    for (const size of ['hour', 'day'] as const satisfies Size[]) {
      const slot = Math.floor(new Date(at).getTime() / slotMs[size])
      const key = `${Number(user_id)}, '${agent.replaceAll("'", "''")}', '${size}', ${slot}`
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(value_usd))
    }
  }
  return [...sums].map(
    ([key, sum]) => `insert into volume (user_id, agent, size, slot, value_usd) values (${key}, '${sum}')`,
  )
}
