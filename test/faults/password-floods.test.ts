import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { percentile } from '../../scripts/percentiles.ts'
import { type Account, newAccount, openWorld, password, type World } from '../world.ts'
import { figures } from './figures.ts'

let world: World
let ada: Account
beforeAll(async () => {
  const RATE_RULES = 'register=1000000/60,register_failed=1000000/60,login=1000000/60,keys=1000000/60'
  world = await openWorld({ RATE_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1', RATE_RULES })
  ada = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const from = (index: number) => ({ headers: { 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` } })
const newEmail = () => `${crypto.randomUUID()}@example.com`
const call = (id: 'auth.login' | 'auth.register', input: object, index: number) =>
  world.clients.rest.call(id, input, undefined, from(index))

const works = {
  login: () => world.clients.rest.call('auth.login', { username: ada.email, password }),
  registration: () => world.clients.rest.call('auth.register', { email: newEmail(), password }),
  export: () =>
    world.clients.rest.call(
      'trading.exportWallet',
      { wallet_ref: 'default', account_password: password, keystore_password: 'staple of a file' },
      ada.token,
    ),
} as const

/** Milliseconds of each of several calls, one after the other; all must succeed. */
async function timed(work: () => Promise<{ ok: boolean }>, times: number, pauseMs = 0): Promise<number[]> {
  const found: number[] = []
  for (let time = 0; time < times; time += 1) {
    const begun = performance.now()
    expect(await work()).toMatchObject({ ok: true })
    found.push(performance.now() - begun)
    await sleep(pauseMs)
  }
  return found
}

const shown = (times: number[]) => `${Math.round(percentile(times, 0.5))}/${Math.round(Math.max(...times))} ms`

test('300 wrong passwords a minute from 300 addresses do not delay the owner', async () => {
  const codes: Record<string, number> = {}
  const flood = Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      await sleep(index * 100)
      const guess = await call('auth.login', { username: ada.email, password: `guess ${index}` }, index)
      const code = guess.ok ? 'ok' : guess.code
      codes[code] = (codes[code] ?? 0) + 1
    }),
  )
  const times = await timed(works.login, 25, 1_000)
  await flood
  figures('300 wrong passwords in 30 s', { ...codes, "owner's login p50/max": shown(times) })
  expect(codes).toEqual({ UNAUTHENTICATED: 10, RATE_LIMITED: 290 })
})

const floods = {
  nothing: () => sleep(100),
  logins: (index: number) => call('auth.login', { username: newEmail(), password: 'a guess' }, index),
  registrations: (index: number) => call('auth.register', { email: newEmail(), password }, index),
  exports: works.export,
} as const

test.each(Object.entries(floods))('a flood of %s leaves the others quick', async (flooded, flood) => {
  let isOver = false
  let sent = 0
  const flooding = Array.from({ length: 60 }, async (_, index) => {
    for (; !isOver; sent += 1) await flood(index)
  })
  const times: Record<string, string> = {}
  for (const [name, work] of Object.entries(works))
    if (!flooded.startsWith(name)) times[`${name} p50/max`] = shown(await timed(work, 10))
  isOver = true
  await Promise.all(flooding)
  figures(`a flood of ${flooded}`, { sent, ...times })
})
