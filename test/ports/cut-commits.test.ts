import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { shared } from '../shared.ts'
import { addAccount } from './rows.ts'
import { executionOf } from './trade-rows.ts'

/** The road to a server, which can lose connections once the server has what they send. */
async function openRoad(target: URL) {
  const sockets = new Set<Socket>()
  let losing: string | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    near.on('data', (bytes) => {
      const lost = losing !== null && bytes.includes(losing)
      if (lost) far.removeAllListeners('data').on('data', () => near.destroy())
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

test('a slow statement of a server that responds is no outage', async () => {
  const told: unknown[] = []
  const watch = { statement: () => undefined, committed: () => undefined, outage: (event: unknown) => told.push(event) }
  await using database = await openDatabase({ url: await shared('database'), dataDir: 'unused' }, watch)
  const slow = database.tables.query('select pg_sleep(2), 1 as one')
  expect(await slow).toMatchObject([{ one: 1 }])
  expect(told).toEqual([])
})
