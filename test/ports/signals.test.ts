import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import type { Heard } from '../../src/adapters/storage/connection/signals.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { shared } from '../shared.ts'

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
