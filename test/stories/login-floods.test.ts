import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Account, newAccount, openWorld, password, protocols, type World } from '../world.ts'

let world: World
let ada: Account
beforeAll(async () => {
  world = await openWorld({
    RATE_LIMITS: 'on',
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_RULES: 'register=1000/60,login=1000/60',
  })
})
afterAll(async () => await world[Symbol.asyncDispose]())
beforeEach(async () => {
  ada = await newAccount(world.clients.rest)
})

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const login = (address: string, secret: string, protocol: (typeof protocols)[number] = 'rest') =>
  world.clients[protocol].call('auth.login', { username: ada.email, password: secret }, undefined, from(address))

/** Sends wrong passwords, each from an address of its own; returns how many were tried and not refused unread. */
async function flood(count: number): Promise<number> {
  const guesses = await Promise.all(
    Array.from({ length: count }, (_, guess) =>
      login(`10.0.${guess >> 8}.${guess & 255}`, `guess ${guess}`, protocols[guess % protocols.length]),
    ),
  )
  const codes = guesses.map((guess) => (guess.ok ? 'ok' : guess.code))
  expect(codes.filter((code) => code !== 'RATE_LIMITED' && code !== 'UNAUTHENTICATED')).toEqual([])
  return codes.filter((code) => code === 'UNAUTHENTICATED').length
}

test('wrong passwords from many addresses end after ten, and do not lock the owner out', async () => {
  // Used in three ways: by a login, by a token of another address, by a registration (127.0.0.1).
  expect(await login('192.0.2.1', password)).toMatchObject({ ok: true })
  await world.clients.rest.call('metrics.positions', {}, ada.token, from('192.0.2.2'))
  expect(await flood(300)).toBe(10)
  for (const protocol of protocols)
    for (const address of ['192.0.2.1', '192.0.2.2', '127.0.0.1'])
      expect(await login(address, password, protocol)).toMatchObject({ ok: true })
  const stranger = await login('192.0.2.3', password)
  expect(stranger).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
  expect(stranger).toMatchObject({ message: expect.stringContaining('from where you used the account before') })
})

test('a name that reads like the key of an address does not use up its wrong passwords', async () => {
  const names = [`${ada.email} from 127.0.0.1`, `account 1 from 127.0.0.1`, 'account 1']
  for (const username of names)
    for (let guess = 0; guess < 12; guess += 1)
      await world.clients.rest.call('auth.login', { username, password: 'a guess' }, undefined, from('192.0.2.77'))
  expect(await login('127.0.0.1', password)).toMatchObject({ ok: true })
})

test('an e-mail without an account slows down alike', async () => {
  ada = { ...ada, email: `${crypto.randomUUID()}@example.com` }
  expect(await flood(40)).toBe(10)
})

test('a known address has ten wrong passwords of its own, and right ones do not count', async () => {
  for (let right = 0; right < 12; right++) expect(await login('127.0.0.1', password)).toMatchObject({ ok: true })
  for (let wrong = 0; wrong < 10; wrong++)
    expect(await login('127.0.0.1', 'a guess')).toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await login('127.0.0.1', password)).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await login('192.0.2.9', password)).toMatchObject({ ok: true })
})

test('an address that guesses at many accounts is stopped after twenty, on every protocol, and others are not', async () => {
  const guess = (username: string, number: number) =>
    world.clients[protocols[number % protocols.length]!].call(
      'auth.login',
      { username, password: 'a guess' },
      undefined,
      from('198.51.100.7'),
    )
  for (let number = 0; number < 20; number += 1)
    expect(await guess(`${crypto.randomUUID()}@example.com`, number)).toMatchObject({ code: 'UNAUTHENTICATED' })
  for (let number = 0; number < 3; number += 1)
    expect(await guess(`${crypto.randomUUID()}@example.com`, number)).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('Too many wrong passwords from your address'),
    })
  expect(await login('198.51.100.8', password)).toMatchObject({ ok: true })
})

test('a stranger who meets the count of an e-mail waits a minute at most', async () => {
  await flood(40)
  const stranger = await login('192.0.2.200', password)
  expect(stranger).toMatchObject({ code: 'RATE_LIMITED' })
  expect((stranger as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(60)
})
