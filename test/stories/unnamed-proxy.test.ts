import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount, openWorld, password, protocols, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  // No TRUSTED_PROXIES, although a proxy stands before it.
  world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: 'register=1000/60,login=1000/60,guesses_address=1000/60' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const proxied = { headers: { 'x-forwarded-for': '203.0.113.5' } }

test('behind a proxy that nobody named no address is known, on any protocol', async () => {
  const ada = await newAccount(world.clients.rest)
  const email = `${crypto.randomUUID()}@example.com`
  await world.clients.rest.call('auth.register', { email, password }, undefined, proxied)
  const login = (username: string, secret: string, by: (typeof protocols)[number], options = {}) =>
    world.clients[by].call('auth.login', { username, password: secret }, undefined, options)
  for (let guess = 0; guess < 10; guess += 1)
    await login(email, 'a guess', protocols[guess % protocols.length] ?? 'rest', proxied)
  // Neither who comes through the proxy nor who comes from its machine is known to the account.
  for (const protocol of protocols)
    for (const options of [proxied, {}])
      expect(await login(email, password, protocol, options)).toMatchObject({ code: 'RATE_LIMITED' })
  // Who registered without a proxy is known by the address.
  for (let guess = 0; guess < 10; guess += 1) await login(ada.email, 'a guess', 'rest', proxied)
  expect(await login(ada.email, password, 'rest', proxied)).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await login(ada.email, password, 'rest')).toMatchObject({ ok: true })
})
