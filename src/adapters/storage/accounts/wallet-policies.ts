import type { Hex } from '../../../domain/ports/chains.ts'
import type { TradePolicy, WalletPolicies } from '../../../domain/ports/trade-policy.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import type { Tables } from '../connection/tables.ts'
import { WalletPolicyEntity } from '../entities/trading.ts'

/** Limits of wallets in the database. */
export function openWalletPolicies(database: Database): WalletPolicies {
  return {
    find: async (wallet) => await readPolicy(database.tables, wallet),
    async set(wallet, policy) {
      const list = (values: readonly unknown[] | null) => (values === null ? null : JSON.stringify(values))
      const whole = (value: bigint | null) => (value === null ? null : `${value}`)
      const caps = { maxTradeUsd: whole(policy.maxTradeUsd), maxDailyUsd: whole(policy.maxDailyUsd) }
      const { tokens, venues, chains } = policy
      const lists = { tokens: list(tokens), venues: list(venues), chains: list(chains) }
      await database.transaction(async (tables) => {
        await tables.upsert(WalletPolicyEntity, { wallet: wallet.address.toLowerCase(), ...caps, ...lists })
        const facts = { wallet_ref: wallet.ref, address: wallet.address, ...factsOf(caps), tokens, venues, chains }
        await appendAudit(tables, wallet.userId, { kind: 'policy', subject: `wallet:${wallet.id}`, facts })
      })
    },
  }
}

/** The caps in USD at 1e-18, as they are stored. */
function factsOf({ maxTradeUsd, maxDailyUsd }: Record<'maxTradeUsd' | 'maxDailyUsd', string | null>) {
  return { max_trade_usd_e18: maxTradeUsd, max_daily_usd_e18: maxDailyUsd }
}

/** The policy as the current transaction sees it. */
export async function readPolicy(tables: Tables, wallet: string): Promise<TradePolicy | null> {
  const row = await tables.findOne(WalletPolicyEntity, wallet.toLowerCase())
  if (row === null) return null
  const whole = (text: string | null | undefined) => (text == null ? null : BigInt(text))
  return {
    maxTradeUsd: whole(row.maxTradeUsd),
    maxDailyUsd: whole(row.maxDailyUsd),
    // `set` wrote these texts from lists of these types.
    tokens: row.tokens == null ? null : (JSON.parse(row.tokens) as Hex[]),
    venues: row.venues == null ? null : (JSON.parse(row.venues) as string[]),
    chains: row.chains == null ? null : (JSON.parse(row.chains) as number[]),
  }
}
