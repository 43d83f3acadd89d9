import { requireKnown } from '../domain/policies/known-policy.ts'
import type { Chains } from '../domain/ports/chains.ts'
import type { TradingSettings, TradingTimes } from '../domain/ports/trade-policy.ts'
import { parseUnits } from '../domain/values/money.ts'
import type { Config } from '../settings/config.ts'

/** The times of every gateway; tests give others. */
export const tradingTimes: TradingTimes = { quoteLifetimeMs: 30_000, timeoutMs: 30_000, fundingTimeoutMs: 8_000 }

/** The configured limits of real trades. Throws an Error that names a setting with an unknown chain or token. */
export function tradingSettings(
  config: Config,
  chains: Chains,
  times: TradingTimes,
  publicUrl: () => string,
): TradingSettings {
  const cap = (usd: string | undefined, name: string) => (usd === undefined ? null : parseUnits(usd, 18, name))
  const lists = { tokens: config.TRADE_TOKENS ?? null, chains: config.TRADE_CHAINS ?? null }
  requireKnown(chains, lists, { tokens: 'TRADE_TOKENS', chains: 'TRADE_CHAINS' })
  return {
    ...lists,
    ...times,
    enabled: config.tradingEnabled,
    skipRiskAllowed: config.sandbox,
    maxFeePerGas: config.MAX_FEE_GWEI === undefined ? null : parseUnits(config.MAX_FEE_GWEI, 9, 'MAX_FEE_GWEI'),
    maxTradeUsd: cap(config.MAX_TRADE_USD, 'MAX_TRADE_USD'),
    maxDailyUsd: cap(config.MAX_DAILY_USD, 'MAX_DAILY_USD'),
    venues: config.TRADE_VENUES ?? null,
    get publicUrl() {
      return publicUrl()
    },
  }
}
