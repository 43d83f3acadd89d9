import { restClient } from '../../../test/clients/rest.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import { startPostgres } from '../../../test/ports/postgres.ts'
import { startRedis, withoutRedis } from '../../../test/redis.ts'
import type { Account } from '../../../test/world.ts'
import { costOf, type Reading } from '../cost.ts'
import type { Bench } from '../figures.ts'
import { openAccounts, trade } from '../trading.ts'
import { inTurns, shareWork } from '../turns.ts'

const rounds = 3
const idlesMs = 4_000

/**
 * What a trade costs the processor of a gateway on PostgreSQL, and with rates in Redis, compared with one on SQLite. The
 * servers are processes of their own, and not counted.
 */
export const bench: Bench = async ([trades = 16, wallets = 4]) => {
  await using opened = new AsyncDisposableStack()
  const postgres = await startPostgres()
  opened.defer(() => postgres.stop())
  const redis = withoutRedis === null ? await startRedis() : null
  if (redis !== null) opened.use(redis)
  const open = async (settings: Record<string, string>) => {
    const gateway = opened.use(await startGateway(null, { LOG_LEVEL: 'silent', ...settings }))
    const accounts = await openAccounts(restClient(gateway.urls.http), wallets)
    return () => tradesOf(gateway, accounts, trades)
  }
  const sqlite = await open({})
  const onPostgres = await open({ DATABASE_URL: await postgres.create('alone') })
  const counted = {
    RATE_LIMITS: 'on',
    RATE_RULES: 'default=100000/60,execute=100000/60,register=100000/60,keys=100000/60',
  }
  const withRedis =
    redis === null
      ? []
      : [await open({ DATABASE_URL: await postgres.create('counted'), REDIS_URL: redis.url, ...counted })]
  const results = await inTurns([sqlite, onPostgres, ...withRedis], rounds, (way): Promise<Reading> => way())
  const of = (way: () => Promise<Reading>) => (results.get(way) ?? []).map(({ cpuMs }) => cpuMs)
  const floor = { name: 'on SQLite', rounds: of(sqlite) }
  return [
    { what: 'a trade on PostgreSQL, processor of the gateway', unit: 'ms', rounds: of(onPostgres), floor },
    ...withRedis.map((way) => ({ what: 'the same with rates in Redis', unit: 'ms' as const, rounds: of(way), floor })),
  ]
}

async function tradesOf(gateway: Gateway, accounts: readonly Account[], trades: number): Promise<Reading> {
  const client = restClient(gateway.urls.http)
  return await costOf(gateway, trades, idlesMs, () =>
    shareWork(trades, accounts.length, async (worker) => void (await trade(client, accounts[worker] as Account))),
  )
}
