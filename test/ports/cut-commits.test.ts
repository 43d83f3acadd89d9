import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openWorkers } from '../../src/adapters/storage/connection/account-locks.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { createOutages } from '../../src/adapters/storage/connection/outages.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { StorageBusy } from '../../src/domain/core/errors.ts'
import type { Execution, Executions } from '../../src/domain/ports/trades.ts'
import { shared } from '../shared.ts'
import { addAccount } from './rows.ts'
import { executionOf } from './trade-rows.ts'

/** The road to a server, which can lose connections once the server has what they send. */
async function openRoad(target: URL) {
  const sockets = new Set<Socket>()
  let losing: string | null = null
  let holding: string | null = null
  let isShut = false
  const held = Promise.withResolvers<() => Promise<string>>()
  let muting: string | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    if (isShut) near.destroy()
    near.on('data', (bytes) => {
      if (holding !== null && bytes.includes(holding)) {
        near.removeAllListeners('close').destroy()
        held.resolve(async () => {
          far.write(bytes)
          return String(await once(far, 'data'))
        })
        return
      }
      const lost = losing !== null && bytes.includes(losing)
      if (lost) far.removeAllListeners('data').on('data', () => near.destroy())
      if (muting !== null && bytes.includes(muting)) far.removeAllListeners('data').resume()
      far.write(bytes)
    })
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href,
    /** Loses each connection whose statement has these words, after the server has run it. */
    lose: (words: string | null) => {
      losing = words
    },
    /** Loses each connection whose statement has these words, before the server has it. */
    hold: (words: string | null) => {
      holding = words
    },
    /** Brings the server what was held, and returns what it says. */
    bringHeld: async () => await (await held.promise)(),
    /** Loses all connections, and takes no other until it is open again. */
    shut: (shut: boolean) => {
      isShut = shut
      if (shut) for (const socket of sockets) socket.destroy()
    },
    /** Loses what the server says to such a connection from then on, without a word. */
    mute: (words: string) => {
      muting = words
    },
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('a commit whose answer is lost is UNAVAILABLE, and what it began gives its key back', async () => {
  using road = await openRoad(new URL(await shared('database')))
  const told: unknown[] = []
  const watch = { statement: () => undefined, committed: () => undefined, outage: (event: unknown) => told.push(event) }
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' }, watch)
  const userId = await addAccount(database)
  const executions = openExecutions(database)
  const execution = executionOf(userId)
  road.lose('commit')
  await expect(executions.begin(execution)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { retryAfterSeconds: 1 },
  })
  // The server has committed it, and nobody goes on with it.
  expect(await executions.findByKey(userId, execution.idempotencyKey)).toMatchObject({ id: execution.id })
  road.lose(null)
  await vi.waitFor(async () => expect(await executions.findByKey(userId, execution.idempotencyKey)).toBeNull(), {
    timeout: 5_000,
    interval: 50,
  })
  expect((await executions.begin({ ...execution, id: crypto.randomUUID() })).created).toBe(true)
  expect(told).toEqual([]) // one connection is no outage
})

test('a commit that comes late, after the discard has found nothing, gives its key back too', async () => {
  using road = await openRoad(new URL(await shared('database')))
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' })
  const executions = openExecutions(database)
  const execution = executionOf(await addAccount(database))
  road.hold('commit')
  await expect(executions.begin(execution)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  road.hold(null)
  await sleep(1_500)
  expect(await road.bringHeld()).toContain('COMMIT')
  await keyIsFree(executions, execution)
})

test('a confirmation whose trade a lost commit began may begin another', async () => {
  using road = await openRoad(new URL(await shared('database')))
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' })
  const executions = openExecutions(database)
  const execution = executionOf(await addAccount(database))
  road.lose('commit')
  await expect(executions.beginConfirmed(execution, 'yes')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  road.lose(null)
  await keyIsFree(executions, execution)
  const again = { ...execution, id: crypto.randomUUID() }
  expect(await executions.beginConfirmed(again, 'yes')).toMatchObject({ created: true })
})

test('what a watcher owes is done after another process has taken its watch', async () => {
  using road = await openRoad(new URL(await shared('database')))
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' })
  const executions = openExecutions(database)
  const workers = openWorkers(database)
  const userId = await addAccount(database)
  const tries = ['by the watcher', 'later'].map((idempotencyKey) => executionOf(userId, { idempotencyKey }))
  for (const each of tries) await executions.begin(each)
  const [watched, later] = tries as [Execution, Execution]
  expect(await workers.watches(1)).toBe(true)
  road.lose('delete from')
  const byWatcher = workers.asWatcher(1, async () => await executions.discard(watched.id))
  await expect(byWatcher).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await database.tables.run('update lane set fence = fence + 1 where chain_id = 1')
  await expect(executions.discard(later.id)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  road.lose(null)
  for (const each of tries) await keyIsFree(executions, each)
})

test('what never reached the server is not discarded once it is back', async () => {
  using road = await openRoad(new URL(await shared('database')))
  let committed = 0
  const count = () => {
    committed += 1
  }
  const watch = { statement: () => undefined, committed: count }
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' }, watch)
  const executions = openExecutions(database)
  const execution = executionOf(await addAccount(database))
  committed = 0
  road.shut(true)
  for (let tries = 0; tries < 20; tries += 1)
    await expect(executions.begin({ ...execution, id: crypto.randomUUID() })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  road.shut(false)
  await vi.waitFor(async () => await executions.begin(execution), { timeout: 5_000, interval: 50 })
  await sleep(1_000)
  expect(committed).toBe(1)
})

async function keyIsFree(executions: Executions, { userId, idempotencyKey }: Execution): Promise<void> {
  const free = async () => expect(await executions.findByKey(userId, idempotencyKey)).toBeNull()
  await vi.waitFor(free, { timeout: 5_000, interval: 50 })
}

test('a slow statement of a server that responds is no outage', async () => {
  const told: unknown[] = []
  const watch = { statement: () => undefined, committed: () => undefined, outage: (event: unknown) => told.push(event) }
  await using database = await openDatabase({ url: await shared('database'), dataDir: 'unused' }, watch)
  const slow = database.tables.query('select pg_sleep(2), 1 as one')
  expect(await slow).toMatchObject([{ one: 1 }])
  expect(told).toEqual([])
})

test('a connection that is lost alone, amid the traffic of others, ends its statement', async () => {
  using road = await openRoad(new URL(await shared('database')))
  const told: unknown[] = []
  const watch = { statement: () => undefined, committed: () => undefined, outage: (event: unknown) => told.push(event) }
  await using database = await openDatabase({ url: road.url, dataDir: 'unused' }, watch)
  let isOver = false
  const traffic = (async () => {
    while (!isOver) {
      expect(await database.tables.query('select 1 as one')).toEqual([{ one: 1 }])
      await sleep(20)
    }
  })()
  road.mute('muted')
  const slow = database.tables.query('select pg_sleep(3), 1 as slow')
  const began = performance.now()
  await expect(database.tables.query('select 1 as muted')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(performance.now() - began).toBeLessThan(4_000) // two seconds, and what a busy machine takes
  expect(await slow).toMatchObject([{ slow: 1 }])
  isOver = true
  await traffic
  expect(told).toEqual([])
})

test('a statement that a limit ended is no outage, and is told', async () => {
  const told: unknown[] = []
  const watch = {
    statement: () => undefined,
    committed: () => undefined,
    outage: (event: unknown) => told.push(event),
    busy: (failure: unknown) => told.push(failure),
  }
  await using database = await openDatabase({ url: await shared('database'), dataDir: 'unused' }, watch)
  const slow = database.transaction(async (tables) => {
    await tables.query('set local statement_timeout = 100')
    await tables.query('select pg_sleep(5)')
  })
  await expect(slow).rejects.toBeInstanceOf(StorageBusy)
  expect(told).toMatchObject([{ code: '57014' }])
  expect(await database.tables.query('select 1 as one')).toEqual([{ one: 1 }])
})

test('a mistake in the code is no outage', async () => {
  const outages = createOutages(() => expect.unreachable(), {})
  const mistake = Object.assign(new TypeError('not a string'), { code: 'ERR_INVALID_ARG_TYPE' })
  await expect(outages.guard(async () => await Promise.reject(mistake))).rejects.toBe(mistake)
  outages.close()
})
