import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import { openMarketSubscriptions } from '../../src/adapters/storage/accounts/market-subscriptions.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import type { Heard } from '../../src/adapters/storage/connection/signals.ts'
import { openAccountFeed } from '../../src/adapters/storage/trading/account-feed.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { shared } from '../shared.ts'
import { addAccount, addSession, at } from './rows.ts'

const opened: Database[] = []
afterEach(async () => {
  for (const database of opened.splice(0)) await database[Symbol.asyncDispose]()
})

/** Databases as so many processes open them. */
async function processes(count: number): Promise<Database[]> {
  const url = await shared('database')
  for (let index = 0; index < count; index += 1) opened.push(await openDatabase({ url, dataDir: 'unused' }))
  return opened
}

/** Listens to a topic, and returns what was heard. */
function heardOf({ signals }: Database, topic: string): Heard[] {
  const heard: Heard[] = []
  signals.listen(topic, (how) => heard.push(how))
  return heard
}

const linkOf = "from pg_stat_activity where application_name = 'trident hints' and datname = current_database()"

async function links({ tables }: Database): Promise<number> {
  const [row] = await tables.query<{ links: string }>(`select count(*) as links ${linkOf}`)
  return Number(row?.links)
}

test('a notification reaches every other process as a hint, and its own process at once and once', async () => {
  const [one, ...others] = (await processes(3)) as [Database, ...Database[]]
  const own = heardOf(one, 'a')
  const far = others.map((database) => heardOf(database, 'a'))
  const silent = heardOf(one, 'b')
  one.signals.notify('a')
  expect(own).toEqual(['told'])
  await vi.waitFor(() => expect(far).toEqual([['hint'], ['hint']]), 20_000)
  one.signals.hint('a') // as a poll does; nobody else is told
  others[0]!.signals.notify('b')
  await vi.waitFor(() => expect(silent).toEqual(['hint']), 20_000)
  expect([own, ...far]).toEqual([['told', 'hint'], ['hint'], ['hint']])
  expect(await links(one)).toBe(3)
})

test('many notifications in one turn are one hint for each topic, and too many one for everything', async () => {
  const [one, other] = (await processes(2)) as [Database, Database]
  const topics = Array.from({ length: 400 }, (_, index) => `topic:${index}:${'x'.repeat(40)}`)
  const far = topics.map((topic) => heardOf(other, topic))
  for (let round = 0; round < 50; round += 1) for (const topic of topics) one.signals.notify(topic)
  await vi.waitFor(() => expect(far).toEqual(topics.map(() => ['hint'])), 20_000)
  for (let index = 0; index < 5_000; index += 1) one.signals.notify(`unknown:${index}`)
  await vi.waitFor(() => expect(far).toEqual(topics.map(() => ['hint', 'hint'])), 20_000)
  one.signals.notify(`long ${'ä'.repeat(10_000)}`)
  await vi.waitFor(() => expect(far).toEqual(topics.map(() => ['hint', 'hint', 'hint'])), 20_000)
})

test('a lost connection comes back, and what was told meanwhile is made up for', async () => {
  const [one, other] = (await processes(2)) as [Database, Database]
  const topics = Array.from({ length: 30 }, (_, index) => `topic:${index}`)
  const far = topics.map((topic) => heardOf(other, topic))
  for (let round = 1; round <= 3; round += 1) {
    await one.tables.query(`select pg_terminate_backend(pid) ${linkOf}`)
    one.signals.notify('topic:3')
    await vi.waitFor(() => expect(far.every((heard) => heard.length >= round)).toBe(true), 20_000)
    await until(async () => (await links(one)) === 2, 'both connections')
    await sleep(600) // everyone here was woken
  }
  for (const heard of far) heard.length = 0
  one.signals.notify('topic:3')
  await vi.waitFor(() => expect(far[3]).toContain('hint'), 20_000)
})

test('a process that closes tells what it has to and leaves no connection', async () => {
  const [one, other] = (await processes(2)) as [Database, Database]
  const far = heardOf(other, 'last')
  one.signals.notify('last')
  await one[Symbol.asyncDispose]()
  opened.splice(opened.indexOf(one), 1)
  await vi.waitFor(() => expect(far).toEqual(['hint']), 20_000)
  await until(async () => (await links(other)) === 1, 'the connection to end')
  one.signals.notify('late')
})

test('what another process waits for, it hears of without a poll', async () => {
  const [one, other] = (await processes(2)) as [Database, Database]
  const hour = 3_600_000
  const userId = await addAccount(one)
  const [kept, ended] = [await addSession(one, userId), await addSession(one, userId)]
  const chats = [openChatStreams(one, hour), openChatStreams(other, hour)] as const
  const answer = (id: string) => ({ id, sessionId: kept, messages: [{ role: 'user' as const, content: 'hello' }], at })
  const [written, queued] = [answer(crypto.randomUUID()), answer(crypto.randomUUID())]
  await chats[0].open(written, 1)
  await chats[1].open(queued, 1)
  const market = { id: 'market', userId, symbol: 'ETHUSDC', streams: ['trade' as const], interval: '1m' as const }
  await openMarketSubscriptions(one).create({ ...market, createdAt: at }, 9)

  const seen: string[] = []
  const note = (what: string) => () => void seen.push(what)
  openSessions(other, hour).onDeleted(ended, note('session'))
  openAccounts(other, hour).onTokensEnded(userId, 0, note('tokens'))
  openAccounts(other, hour).onRevoked('token', note('token'))
  openMarketSubscriptions(other, hour).onRemoved('market', note('market'))
  chats[1].onStop(written.id, note('stop'))
  const leave = new AbortController()
  const feed = (async () => {
    const place = { own: 0, halts: 0 }
    for await (const { kind } of openAccountFeed(other, hour).follow(userId, place, at, leave.signal)) seen.push(kind)
  })()
  const turn = chats[1].turn(queued, leave.signal).then((begun) => seen.push(`turn ${begun}`))
  await sleep(300) // all have looked at the table
  expect(seen).toEqual([])
  const told = async (what: string) => await vi.waitFor(() => expect(seen).toContain(what), 20_000)

  await openSessions(one).delete(ended)
  await told('session')
  await openHalts(one).set({ scope: 'global', id: '' }, new Date())
  await told('halt')
  await openMarketSubscriptions(one).remove(userId, 'market')
  await told('market')
  await openAccounts(one).revoke({ id: 'token', expiresAt: new Date(Date.now() + hour) }, at)
  await told('token')
  await chats[0].requestStop(written.id)
  await told('stop')
  await chats[0].finish(written.id, { state: 'stopped', at })
  await told('turn true')
  await openAccounts(one).endTokens(userId)
  await told('tokens')
  expect(seen).toHaveLength(7)
  leave.abort()
  await Promise.all([feed, turn])
})
