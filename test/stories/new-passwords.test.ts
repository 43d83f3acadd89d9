import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount, password, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const refusals = [
  [' '.repeat(8), 'spaces alone'],
  ['\u00a0\t\n '.repeat(3), 'spaces alone'],
  ['12345678', 'guessed first'],
  ['PassWord1', 'guessed first'],
  ['88888888', 'guessed first'],
  ['87654321', 'guessed first'],
  ['123123123', 'guessed first'],
] as const

test.each(protocols)('over %s a new password that is guessed first is refused, with the reason', async (protocol) => {
  const client = world.clients[protocol]
  const { token } = await newAccount(world.clients.rest)
  const refused = (path: string, reason: string) => ({
    code: 'INVALID_ARGUMENT',
    violations: [{ path, message: expect.stringContaining(reason) }],
  })
  for (const [common, reason] of refusals) {
    const registration = { email: `${randomUUID()}@example.com`, password: common }
    expect(await client.call('auth.register', registration)).toMatchObject(refused('password', reason))
    const change = { current_password: password, new_password: common }
    expect(await client.call('auth.changePassword', change, token)).toMatchObject(refused('new_password', reason))
  }
  const email = `ada${Date.now() % 1_000_000}@example.com`
  expect(await client.call('auth.register', { email, password: email })).toMatchObject(
    refused('password', 'your e-mail'),
  )
  const same = { current_password: password, new_password: password }
  expect(await client.call('auth.changePassword', same, token)).toMatchObject(refused('new_password', 'the present'))
  const longer = { email: `${randomUUID()}@example.com`, password: '12345678 of mine' }
  expect(await client.call('auth.register', longer)).toMatchObject({ ok: true })
})
