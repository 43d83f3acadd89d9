import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { shared } from '../shared.ts'
import { addAccount, addSession, at } from './rows.ts'

/** The road to a server, over which the connection for hints can become silent, or be refused. */
async function openRoad(target: URL) {
  const sockets = new Set<Socket>()
  let isSilent = false
  let isRefusing = false
  let refused = 0
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    let isForHints = false
    near.on('data', (bytes) => {
      isForHints ||= bytes.includes('trident hints')
      if (!(isForHints && isSilent)) far.write(bytes)
      if (!(isForHints && isRefusing)) return
      refused += 1
      near.destroy()
    })
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href,
    silence: (yes: boolean) => {
      isSilent = yes
    },
    refuse: (yes: boolean) => {
      isRefusing = yes
    },
    refused: () => refused,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('a process whose connection for hints alone is silent stays alive', async () => {
  const url = await shared('database')
  using road = await openRoad(new URL(url))
  await using other = await openDatabase({ url, dataDir: 'unused' })
  await using one = await openDatabase({ url: road.url, dataDir: 'unused' })
  const left = 'select extract(epoch from until - now()) * 1000 as ms from worker where id = ?'
  road.silence(true)
  const seen: number[] = []
  for (let look = 0; look < 45; look += 1) {
    const [row] = await other.tables.query<{ ms: string }>(left, one.holder)
    seen.push(Number(row?.ms))
    await sleep(100)
  }
  road.silence(false)
  expect(Math.min(...seen)).toBeGreaterThan(0)
})

test('a process that has just begun does not judge which others are dead', async () => {
  const url = await shared('database')
  await using dead = await openDatabase({ url, dataDir: 'unused' })
  const sessionId = await addSession(dead, await addAccount(dead))
  const answer = { id: crypto.randomUUID(), sessionId, messages: [{ role: 'user' as const, content: 'hello' }], at }
  await openChatStreams(dead).open(answer, 1)
  await using fresh = await openDatabase({ url, dataDir: 'unused' })
  await dead.tables.run("update worker set until = now() - interval '1 minute' where id = ?", dead.holder)
  expect(fresh.mayJudge()).toBe(false)
  expect(await openChatStreams(fresh).failAbandoned(at)).toBe(0)
  await vi.waitFor(() => expect(fresh.mayJudge()).toBe(true), { timeout: 20_000, interval: 50 })
})

test('attempts to connect leave nothing behind', async () => {
  using road = await openRoad(new URL(await shared('database')))
  await using _database = await openDatabase({ url: road.url, dataDir: 'unused' })
  const added = vi.spyOn(EventTarget.prototype, 'addEventListener')
  const removed = vi.spyOn(EventTarget.prototype, 'removeEventListener')
  const aborts = ({ mock }: typeof added | typeof removed) => mock.calls.filter(([event]) => event === 'abort').length
  road.refuse(true)
  await vi.waitFor(() => expect(road.refused()).toBeGreaterThan(3), { timeout: 20_000, interval: 20 })
  const left = aborts(added) - aborts(removed)
  vi.restoreAllMocks()
  road.refuse(false)
  expect(left).toBeLessThan(2)
})

test('a server that refuses hints is asked less and less, and does not keep the process from closing', async () => {
  const url = await shared('database')
  await using setting = await openDatabase({ url, dataDir: 'unused' })
  await setting.tables.run('create sequence asked')
  await setting.tables.run(`create function pg_notify(text, text) returns void language plpgsql as
    $$ begin perform nextval('asked'); raise 'too many notifications in the NOTIFY queue'; end $$`)
  const name = new URL(url).pathname.slice(1)
  await setting.tables.run(`alter database "${name}" set search_path = public, pg_catalog`)
  await using database = await openDatabase({ url, dataDir: 'unused' })
  database.signals.notify('a')
  await sleep(1_500)
  const [row] = await setting.tables.query<{ asked: string }>('select last_value as asked from asked')
  expect(Number(row?.asked)).toBeGreaterThan(1)
  expect(Number(row?.asked)).toBeLessThan(7)
})
