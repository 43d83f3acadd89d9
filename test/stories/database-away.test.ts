import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type Event, output } from '../clients/client.ts'
import { type PostgresServer, startPostgres } from '../ports/postgres.ts'
import { isLong } from '../sized.ts'
import { type Account, fundedAccount, openWorld, password, type World } from '../world.ts'

let [server, world, account]: [PostgresServer?, World?, Account?] = []
const lines: { level: number; msg: string; error?: unknown }[] = []
beforeAll(async () => {
  server = await startPostgres()
  const settings = { DATABASE_URL: await server.create('away'), LOG_LEVEL: 'info' }
  world = await openWorld(settings, { write: (line) => void lines.push(JSON.parse(line)) })
  account = await fundedAccount(world.clients.rest)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await server?.stop()
})

function opened() {
  if (server === undefined || world === undefined || account === undefined) throw new Error('not opened')
  return { server, account, urls: world.urls, clients: world.clients, all: Object.values(clientsOf(world)) }
}

function clientsOf({ clients: { rest, trpc, grpc } }: World): Record<string, Client> {
  return { rest, trpc, grpc }
}

async function timed<T>(act: () => Promise<T>): Promise<{ took: number; result: T }> {
  const began = performance.now()
  const result = await act()
  return { result, took: performance.now() - began }
}

/** What everybody sees while the database is away, and that it is told once. */
async function expectOutage(): Promise<void> {
  const { all, account, urls } = opened()
  for (const round of [1, 2]) {
    const health = timed(async () => await fetch(`${urls.http}/health/ready`))
    const living = timed(async () => await fetch(`${urls.http}/health/live`))
    const calls = all.flatMap((client) =>
      [
        () => client.call('trading.listWallets', {}, account.token),
        () => client.call('trading.execute', account.trade('WETH', 'USDC', '0.001', `away-${round}`), account.token),
        () => client.call('auth.login', { username: account.email, password }),
      ].map(timed),
    )
    for (const { result, took } of await Promise.all(calls)) {
      expect(result).toMatchObject({ ok: false, code: 'UNAVAILABLE', retryAfterSeconds: 1 })
      expect(took).toBeLessThan(2_000)
    }
    const [ready, live] = await Promise.all([health, living])
    expect([ready.result.status, live.result.status]).toEqual([503, 200])
    expect(Math.max(ready.took, live.took)).toBeLessThan(1_000)
  }
}

async function expectReturn(): Promise<void> {
  const { clients, account } = opened()
  const call = async () => (await clients.rest.call('trading.listWallets', {}, account.token)).ok
  const { took } = await timed(async () => {
    while (!(await call())) await sleep(20)
  })
  expect(took).toBeLessThan(1_000)
}

/** What has been logged since, apart from what is told of every start. */
function complaints(since: number): string[] {
  return lines
    .slice(since)
    .filter(({ level, msg }) => level >= 40 || msg.includes('database'))
    .map(({ msg }) => msg)
}
const once = ['the database does not respond', 'the database responds again']

test('a database that is away is UNAVAILABLE to everyone within two seconds, and one line in the log', async () => {
  const { server } = opened()
  const since = lines.length
  await server.crash()
  try {
    await expectOutage()
    await sleep(1_500)
  } finally {
    await server.restart()
  }
  await expectReturn()
  expect(complaints(since)).toEqual(once)
})

test('a database that hangs is the same', async () => {
  const { server } = opened()
  const since = lines.length
  server.freeze()
  try {
    await expectOutage()
    await sleep(1_500)
  } finally {
    server.thaw()
  }
  await expectReturn()
  expect(complaints(since)).toEqual(once)
})

test('a connection that the server ends, alone, is no outage', async () => {
  const { server, clients, account } = opened()
  const since = lines.length
  await server.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'away'")
  await sleep(200)
  await output(clients.rest.call('trading.listWallets', {}, account.token))
  expect(complaints(since)).toEqual([])
})

test('a trade that is cut off has its key free or its answer within five seconds, and is made once', async () => {
  const { server, clients, account } = opened()
  const cuts = [5, 40, 120, 400]
  for (const [index, ms] of cuts.entries()) {
    const request = account.trade('WETH', 'USDC', '0.1', `cut-${index}`)
    const cut = clients.grpc.call('trading.execute', request, account.token)
    await sleep(ms)
    if (index % 2 === 0) await server.crash()
    else server.freeze()
    await cut
    if (index % 2 === 0) await server.restart()
    else server.thaw()
    await expectReturn()
    const { took, result } = await timed(() => clients.rest.call('trading.execute', request, account.token))
    expect(result).toMatchObject({ ok: true, output: { status: 'success' } })
    expect(took).toBeLessThan(5_000)
  }
  const [position] = await output(clients.rest.call('metrics.positions', { token_symbol: 'WETH' }, account.token))
  expect(position.quantity_decimal).toBe('4.6')
})

test.runIf(isLong)(
  'a stream of a trade that an outage ends is resumed by its cursor, and tells each state once',
  async () => {
    const { server, clients, account } = opened()
    const request = account.trade('WETH', 'USDC', '0.1', 'streamed')
    const { execution_id } = await output(clients.rest.call('trading.execute', request, account.token))
    const seen: Event[] = []
    const read = async (client: Client) => {
      const input = {
        execution_id,
        until: 'finalized',
        ...(seen.length === 0 ? {} : { last_event_id: seen.at(-1).id }),
      }
      for await (const event of client.stream('trading.watchExecution', input, account.token)) seen.push(event)
    }
    const first = read(clients.grpc).catch((failure: unknown) => failure)
    while (seen.length < 5) await sleep(10)
    await server.crash()
    await sleep(1_000)
    await server.restart()
    const end = await first
    if (end !== undefined) expect(end).toMatchObject({ refusal: { code: 'UNAVAILABLE' } })
    await expectReturn()
    await read(clients.rest)
    const states = ['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included', 'safe', 'finalized']
    expect(seen.map(({ state }) => state)).toEqual(states)
  },
)
