import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, output, refusalOf } from '../clients/client.ts'
import { type Account, newAccount, password, protocols, sharedWorld, type World } from '../world.ts'

const next = 'staple of another kind'

let world: World
let ada: Account
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())
beforeEach(async () => {
  ada = await newAccount(world.clients.rest)
})

const refused = { ok: false, code: 'UNAUTHENTICATED' }

/** A market stream of a session on each protocol, and the refusal with which it ends. */
async function streamsOf({ token }: Account) {
  const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(world.clients.rest.call('tools.subscribeExchange', asked, token))
  return await Promise.all(
    protocols.map(async (protocol) => {
      const events = world.clients[protocol].stream('tools.streamExchange', { subscription_id }, token)
      expect((await events.next()).done).toBe(false)
      return { end: refusalOf(events) }
    }),
  )
}

/** Whether a user token and a session token are accepted, on each protocol. */
async function accepted(userToken: string, token: string) {
  const ok = async (client: Client) => [
    (await client.call('auth.listSessions', {}, userToken)).ok,
    (await client.call('metrics.positions', {}, token)).ok,
  ]
  const found = await Promise.all(Object.values(world.clients).map(ok))
  expect(new Set(found.map(String)).size).toBe(1)
  return found[0]
}

test.each(protocols)(
  'over %s a change of password ends all tokens and streams, and keeps the sessions',
  async (protocol) => {
    const client = world.clients[protocol]
    const streams = await streamsOf(ada)
    const wrong = { current_password: 'a guess', new_password: next }
    expect(await client.call('auth.changePassword', wrong, ada.token)).toMatchObject({
      ok: false,
      code: 'PERMISSION_DENIED',
    })
    expect(await accepted(ada.userToken, ada.token)).toEqual([true, true])
    const change = { current_password: password, new_password: next }
    const fresh = await output(client.call('auth.changePassword', change, ada.token))
    expect(await accepted(ada.userToken, ada.token)).toEqual([false, false])
    for (const { end } of streams) expect(await end).toMatchObject({ code: 'UNAUTHENTICATED' })
    const [session] = await output(client.call('auth.listSessions', {}, fresh.access_token))
    expect(session.session_id).toBe(ada.sessionId)
    expect(await accepted(fresh.access_token, session.token.access_token)).toEqual([true, true])
    const login = async (secret: string) => await client.call('auth.login', { username: ada.email, password: secret })
    expect([(await login(password)).ok, (await login(next)).ok]).toEqual([false, true])
  },
)

test.each(protocols)(
  'over %s a logout ends the token and its streams alone, and one everywhere ends all',
  async (protocol) => {
    const client = world.clients[protocol]
    const streams = await streamsOf(ada)
    const [session] = await output(client.call('auth.listSessions', {}, ada.userToken))
    const other = session.token.access_token
    expect(await client.call('auth.logout', {}, ada.token)).toMatchObject({ ok: true })
    expect(await client.call('metrics.positions', {}, ada.token)).toMatchObject({
      ...refused,
      message: expect.stringContaining('logged out'),
    })
    for (const { end } of streams) expect(await end).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await accepted(ada.userToken, other)).toEqual([true, true])
    const second = await output(client.call('auth.login', { username: ada.email, password }))
    expect(await client.call('auth.logout', {}, ada.userToken)).toMatchObject({ ok: true })
    expect(await accepted(ada.userToken, other)).toEqual([false, true])
    expect(await client.call('auth.logoutEverywhere', {}, second.access_token)).toMatchObject({ ok: true })
    expect(await accepted(second.access_token, other)).toEqual([false, false])
    expect((await client.call('auth.login', { username: ada.email, password })).ok).toBe(true)
  },
)
