import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, newAccount, sharedWorld, type World } from '../world.ts'

/** What the clients of other languages write: each kind of text that a strict reader refuses, or a loose one misreads. */
let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.each(['rest', 'trpc', 'grpc'] as const)('a day by its date, and a time in any form, over %s', async (protocol) => {
  const series = async (start: string, end: string) =>
    (
      await output(world.clients[protocol].call('metrics.volumeSeries', { start, end, bucket: 'hour' }, account.token))
    ).points.map((point: { start: string }) => point.start)
  const hours = await series('2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z')
  expect([hours.length, hours.at(0), hours.at(-1)]).toEqual([
    24,
    '2026-01-31T00:00:00.000Z',
    '2026-01-31T23:00:00.000Z',
  ])
  if (protocol === 'grpc') return // its times are no texts
  for (const [start, end] of [
    ['2026-01-31', '2026-02-01'],
    ['2026-01-31t00:00:00z', '2026-01-31 23:59:60Z'],
    ['2026-01-31 05:30:00+0530', '2026-01-31T19:00-0500'],
    ['2026-01-31T00:00', '2026-02-01 00:00:00+00'],
  ] as const)
    expect([start, end, await series(start, end)]).toEqual([start, end, hours])
})
