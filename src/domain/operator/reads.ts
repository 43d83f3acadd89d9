import type { contract } from '../../contract/index.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { chainWithin } from '../core/chain-within.ts'
import type { Handler } from '../core/handler.ts'
import { readHeadAge } from '../core/head-age.ts'
import type { Chain } from '../ports/chains.ts'
import type { Clock } from '../ports/system.ts'
import { usdText } from '../values/money.ts'

/** How long the newest block of a chain is waited for. A hanging node must not hide the state of the others. */
const headMs = 5_000

/** The newest block of each chain and the state of its nodes. */
export const chainHealth: Handler<typeof contract.operator.chainHealth, 'chains' | 'clock'> = async (ports) => ({
  chains: await Promise.all(ports.chains.all.map((chain) => healthOf(chain, ports.clock))),
})

async function healthOf(chain: Chain, clock: Clock) {
  const age = await readHeadAge(chainWithin(chain, timeLimit(headMs)), clock)
  const { id, name } = chain.info
  return {
    chain_id: id,
    name,
    ...(age === null
      ? {}
      : {
          head_number: Number(age.head.number),
          head_hash: age.head.hash,
          head_at: new Date(Number(age.head.timestamp) * 1_000).toISOString(),
          age_seconds: age.seconds,
        }),
    stale: age === null || age.isStale,
    upstreams: chain.upstreams().map(({ name, healthy, latencyMs, blocksBehind }) => ({
      name,
      healthy,
      ...(latencyMs === null ? {} : { latency_ms: latencyMs }),
      ...(blocksBehind === null ? {} : { blocks_behind: blocksBehind }),
    })),
  }
}

/** The configured limits of every account. */
export const getCaps: Handler<typeof contract.operator.getCaps, 'tradingSettings'> = async ({ tradingSettings }) => {
  const { enabled, maxTradeUsd, maxDailyUsd, tokens, venues, chains } = tradingSettings
  return {
    trading_enabled: enabled,
    max_trade_usd: maxTradeUsd === null ? null : usdText(maxTradeUsd),
    max_daily_usd: maxDailyUsd === null ? null : usdText(maxDailyUsd),
    ...(tokens === null ? {} : { tokens: [...tokens] }),
    ...(venues === null ? {} : { venues: [...venues] }),
    ...(chains === null ? {} : { chains: [...chains] }),
  }
}
