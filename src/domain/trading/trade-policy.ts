import { DomainError } from '../errors.ts'
import type { Hex } from '../ports/chains.ts'
import type { TradingSettings } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { usdText } from './money.ts'
import { openPrices } from './prices.ts'
import type { Swap } from './swap.ts'

/** Refuses while trading is off or an operator has halted it for this chain or wallet: UNAVAILABLE that says which. */
export async function demandTrading(
  ports: Pick<Ports, 'halts' | 'tradingSettings'>,
  chainId: number,
  wallet: Hex,
): Promise<void> {
  if (!ports.tradingSettings.enabled) {
    const settings = 'TRADING_ENABLED, MAX_TRADE_USD and MAX_DAILY_USD'
    throw new DomainError(
      'UNAVAILABLE',
      `Real trades are switched off here; the operator enables them by ${settings}. Simulate instead.`,
    )
  }
  const halt = await ports.halts.covering(chainId, wallet)
  if (halt === null) return
  const where = { global: 'everywhere', chain: `on chain ${halt.id}`, wallet: 'for this wallet' }[halt.scope]
  const sentence = `An operator has halted trading ${where}; try again once it is resumed.`
  throw new DomainError('UNAVAILABLE', sentence, { retryAfterSeconds: 60 })
}

/** What the trade is worth in 1e-18 USD by the side that a fresh feed prices; null where none does. */
export async function worthOf(
  { chain, tokenIn, tokenOut, amountIn }: Swap,
  expectedOut: bigint,
): Promise<bigint | null> {
  const usd = openPrices(chain, { freshOnly: true })
  return (await usd(tokenIn.address, amountIn)) ?? (await usd(tokenOut.address, expectedOut))
}

/** Why a cap forbids the trade, or null. The daily cap is counted where the nonce is reserved. */
export function overCap({ maxTradeUsd, maxDailyUsd }: TradingSettings, worth: bigint | null): string | null {
  if (maxTradeUsd === null && maxDailyUsd === null) return null
  if (worth === null)
    return 'No feed prices the trade, or it is older than its heartbeat, so that MAX_TRADE_USD and MAX_DAILY_USD cannot be kept; trade priced tokens, or try again once the feed has answered.'
  if (maxTradeUsd === null || worth <= maxTradeUsd) return null
  return `The trade is worth ${usdText(worth)} USD, over MAX_TRADE_USD of ${usdText(maxTradeUsd)}; trade less.`
}

/** Said where a trade would bring the account over its day. */
export function overDay(limitUsd: bigint): string {
  return `With this trade the account would pass MAX_DAILY_USD of ${usdText(limitUsd)} in 24 hours; trade less, or later.`
}
