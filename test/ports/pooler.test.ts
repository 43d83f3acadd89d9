import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { shared } from '../shared.ts'

/** The answer of PgBouncer to a parameter of a connection's start that it does not know. */
function refusal(): Buffer {
  const fields = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0')
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** The road to a server, which refuses parameters as a pooler does, and keeps what is sent over it. */
async function openPooler(target: URL) {
  const sockets = new Set<Socket>()
  const sent: string[] = []
  let refused = 0
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    near.on('data', (bytes) => {
      sent.push(bytes.toString('latin1'))
      if (bytes.includes('statement_timeout\0')) {
        refused += 1
        near.end(refusal())
      } else far.write(bytes)
    })
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href,
    sent,
    refused: () => refused,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const limits = `select name, setting from pg_settings where setting = '15000' or name = 'synchronous_commit' order by name`
const limited = [
  { name: 'idle_in_transaction_session_timeout', setting: '15000' },
  { name: 'statement_timeout', setting: '15000' },
  { name: 'synchronous_commit', setting: 'on' },
]

test('behind a pooler of transactions nothing stays with the connection of the server', async () => {
  using pooler = await openPooler(new URL(await shared('database')))
  await using one = await openDatabase({ url: pooler.url, dataDir: 'unused' })
  await using other = await openDatabase({ url: pooler.url, dataDir: 'unused' })
  const heard: string[] = []
  other.signals.listen('a', (how) => heard.push(how))
  one.signals.notify('a')
  await vi.waitFor(() => expect(heard).toEqual(['hint']), 20_000)
  expect(await one.transaction((tables) => tables.query(limits))).toEqual(limited)
  expect(await one.tables.query(limits)).toEqual(limited.slice(2))
  await sleep(600) // a sign of life
  expect(pooler.refused()).toBe(2) // once for each process
  const all = pooler.sent.join('\n')
  expect(all).toContain('set local statement_timeout')
  expect(all).not.toMatch(/set (synchronous_commit|statement_timeout|idle_in_transaction)/)
  expect(all).not.toMatch(/pg_(try_)?advisory_lock/)
})

test('a server that is reached without one limits every statement', async () => {
  await using database = await openDatabase({ url: await shared('database'), dataDir: 'unused' })
  expect(await database.tables.query(limits)).toEqual(limited)
  expect(await database.transaction((tables) => tables.query(limits))).toEqual(limited)
})

test('a process waits for another one that migrates', async () => {
  const settings = { url: await shared('database'), dataDir: 'unused' }
  await using database = await openDatabase(settings)
  let opened = false
  let second: Promise<Database> | undefined
  await database.transaction(async (tables) => {
    await tables.query('select pg_advisory_xact_lock(7374923)')
    second = openDatabase(settings)
    void second.then(() => (opened = true))
    await sleep(500)
    expect(opened).toBe(false)
  })
  await (await second)?.[Symbol.asyncDispose]()
})
