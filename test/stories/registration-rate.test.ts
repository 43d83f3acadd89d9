import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, password, protocols, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: 'register=3/3600,register_failed=4/3600' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const newEmail = () => `${crypto.randomUUID()}@example.com`

test('mistakes do not use up the accounts that an address may register, and have a rate of their own', async () => {
  const register = (email: string, secret = password) =>
    world.clients.rest.call('auth.register', { email, password: secret })
  const first = newEmail()
  expect(await register('not an address')).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
  expect(await register(first, 'short')).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
  expect(await register(first)).toMatchObject({ ok: true, headers: { 'x-ratelimit-remaining': '2' } })
  expect(await register(first)).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
  for (const protocol of protocols.slice(1))
    expect(await world.clients[protocol].call('auth.register', { email: newEmail(), password })).toMatchObject({
      ok: true,
    })
  const refused = { ok: false, code: 'RATE_LIMITED' }
  expect(await register(newEmail())).toMatchObject(refused)
  expect(await register('the fourth mistake')).toMatchObject(refused)
})

test('failed registrations end at their own rate', async () => {
  await using fresh = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: 'register_failed=2/3600' })
  const mistake = () => fresh.clients.rest.call('auth.register', { email: 'nobody', password })
  for (const _ of [1, 2]) expect(await mistake()).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
  expect(await mistake()).toMatchObject({ ok: false, code: 'RATE_LIMITED' })
  // Until then nobody behind the address can register: guessing e-mail addresses would be free otherwise.
  expect(await fresh.clients.rest.call('auth.register', { email: newEmail(), password })).toMatchObject({
    code: 'RATE_LIMITED',
  })
})
