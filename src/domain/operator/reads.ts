import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { chainWithin } from '../core/chain-within.ts'
import type { Handler } from '../core/handler.ts'
import { readHeadAge } from '../core/head-age.ts'
import type { Chain, MethodCalls, UpstreamState } from '../ports/chains.ts'
import type { Queue, StoredReference } from '../ports/outbox.ts'
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
    upstreams: chain.upstreams().map(presentUpstream),
  }
}

function presentCalls(
  calls: readonly MethodCalls[],
  { failingMethods, slowedByMs }: Pick<UpstreamState, 'failingMethods' | 'slowedByMs'>,
) {
  return {
    calls: calls.slice(0, bounds.countedMethods),
    ...(failingMethods.length === 0 ? {} : { failing_methods: failingMethods.slice(0, bounds.countedMethods) }),
    slowed_by_ms: slowedByMs,
  }
}

function presentUpstream({ name, healthy, latencyMs, blocksBehind, ...shown }: UpstreamState) {
  return {
    name,
    healthy,
    ...(latencyMs === null ? {} : { latency_ms: latencyMs }),
    ...(blocksBehind === null ? {} : { blocks_behind: blocksBehind }),
    ...(shown.calls === null ? {} : presentCalls(shown.calls, shown)),
  }
}

const purposes = {
  trade: 'trade',
  revoke: 'revoke_approval',
  wallet: 'starting_funds',
  faucet: 'faucet_payment',
  gap: 'unused_nonce',
  unknown: 'unknown',
} as const satisfies Record<StoredReference['kind'], string>

/** The senders whose transactions wait for a block, the longest waiting first. */
export const listQueues: Handler<typeof contract.operator.listQueues, 'chains' | 'outbox'> = async (ports) => {
  const most = bounds.pageItems
  const chains = ports.chains.all.map(async ({ info: { id } }) =>
    (await ports.outbox.queues(id, most)).map((queue) => ({ chainId: id, queue })),
  )
  // What has no time was stored by an earlier version, and waits longer than the others.
  const since = ({ first }: Queue) => first.createdAt?.getTime() ?? 0
  const all = (await Promise.all(chains)).flat().sort((a, b) => since(a.queue) - since(b.queue))
  return {
    queues: all.slice(0, most).map(({ chainId, queue: { from, waiting, first } }) => ({
      chain_id: chainId,
      sender: from,
      waiting,
      oldest: {
        purpose: purposes[first.reference.kind],
        nonce: first.nonce,
        ...(first.createdAt === null ? {} : { waiting_since: first.createdAt.toISOString() }),
      },
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
