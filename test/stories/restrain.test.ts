import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/index.ts'
import { type Outcome, output } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { type Account, newAccount, openWorld, password, protocols, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  const rules = 'default=100/60,execute=10/60,chat=20/60,operator=100/60,register=1000/60,login=1000/60'
  world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: rules })
})
afterAll(async () => await world[Symbol.asyncDispose]())

type Protocol = (typeof protocols)[number]

/** A session of the account with a grant. */
async function granted(by: Protocol, { userToken }: Account, scopes: string[], more: object = {}) {
  const session = await output(world.clients[by].call('auth.createSession', { grant: { scopes, ...more } }, userToken))
  return { id: session.session_id as string, token: session.token.access_token as string }
}

/** Sends the same again until it is refused for its rate, and a few times more; how many were not refused. */
async function flood(by: Protocol, id: OperationId, input: object, token: string, most = 130): Promise<number> {
  const outcomes: Outcome[] = []
  while (outcomes.length < most) {
    const some = Array.from({ length: 10 }, async () => await world.clients[by].call(id, input, token))
    outcomes.push(...(await Promise.all(some)))
    if (outcomes.filter(isLimited).length > 10) break
  }
  expect(outcomes.filter(isLimited).length).toBeGreaterThan(0)
  return outcomes.filter((outcome) => !isLimited(outcome)).length
}

const isLimited = (outcome: Outcome) => !outcome.ok && outcome.code === 'RATE_LIMITED'

describe.each(protocols)('over %s', (by) => {
  test('an owner whose session floods ends it, and everything else, at the first try', async () => {
    const client = world.clients[by]
    const ada = await newAccount(client)
    const reader = await granted(by, ada, ['read'])
    const whole = await output(client.call('auth.createSession', {}, ada.userToken))
    await flood(by, 'auth.whoAmI', {}, reader.token)
    // A session without a grant uses up the account's own rate.
    await flood(by, 'auth.whoAmI', {}, whole.token.access_token)
    expect(await client.call('auth.whoAmI', {}, ada.userToken)).toMatchObject({ code: 'RATE_LIMITED' })

    const sessions = await output(client.call('auth.listSessions', {}, ada.userToken))
    expect(sessions).toHaveLength(3)
    expect(await client.call('auth.deleteSession', { session_id: reader.id }, ada.userToken)).toMatchObject({
      ok: true,
    })
    const change = { current_password: password, new_password: 'battery horse correct' }
    const changed = await output(client.call('auth.changePassword', change, ada.userToken))
    const fresh: string = changed.access_token
    expect(await client.call('auth.logoutEverywhere', {}, fresh)).toMatchObject({ ok: true })
    const login = await output(client.call('auth.login', { username: ada.email, password: 'battery horse correct' }))
    const gone = { password: 'battery horse correct', keys_exported: true }
    expect(await client.call('auth.deleteAccount', gone, login.access_token)).toMatchObject({ ok: true })
  })

  test('two sessions with grants leave their owner half of each rate', async () => {
    const client = world.clients[by]
    const ada = await newAccount(client)
    const [one, two] = [await granted(by, ada, ['read']), await granted(by, ada, ['read', 'trade'])]
    expect(
      (await flood(by, 'metrics.volume', {}, one.token)) + (await flood(by, 'metrics.volume', {}, two.token)),
    ).toBe(50)
    const refused = await client.call('metrics.volume', {}, two.token)
    expect(refused).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining(
        'The rate default allows all sessions with a grant together 50 requests in 60 s',
      ),
      headers: { 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '0' },
    })
    // The account has used 5 for its sessions and its chain.
    expect(await flood(by, 'metrics.volume', {}, ada.token)).toBeGreaterThanOrEqual(44)
  })

  test('what a session asks of these counts as any other request of it', async () => {
    const client = world.clients[by]
    const ada = await newAccount(client)
    const reader = await granted(by, ada, ['read'])
    expect(await flood(by, 'auth.listSessions', {}, reader.token)).toBe(50)
    expect(await client.call('auth.logout', {}, reader.token)).toMatchObject({ code: 'RATE_LIMITED' })
    const listed = await client.call('auth.listSessions', {}, ada.userToken)
    expect(listed).toMatchObject({ ok: true, headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' } })
  })

  test('a session that floods execute keeps nobody from declining or trading; simulations count as reads', async () => {
    const client = world.clients[by]
    const ada = await newAccount(client)
    const trader = await granted(by, ada, ['trade'], { confirm_above_usd: 0 })
    const order = ada.trade('WETH', 'USDC', '0.01', crypto.randomUUID())
    const waiting = await output(client.call('trading.execute', order, trader.token))
    expect(waiting.status).toBe('pending')
    const simulation = { input: { ...order.input, simulate_only: true } }
    for (let sent = 0; sent < 12; sent += 1)
      expect(await client.call('trading.execute', simulation, trader.token)).toMatchObject({ ok: true })
    await flood(by, 'trading.execute', {}, trader.token, 200)
    const decide = { execution_id: waiting.execution_id, approve: false }
    expect(await client.call('trading.confirmExecution', decide, ada.userToken)).toMatchObject({ ok: true })
    expect(await client.call('trading.execute', order, ada.token)).toMatchObject({ ok: true })
  })
})

test('a rate of reads that is used up stops no trade, one of trades no simulation, and both stop both', async () => {
  const client = world.clients.rest
  const ada = await newAccount(client)
  const order = (key: string) => ada.trade('WETH', 'USDC', '0.001', key)
  await flood('rest', 'metrics.volume', {}, ada.token)
  const first = await client.call('trading.execute', order('first'), ada.token)
  expect(first).toMatchObject({ ok: true, headers: { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9' } })
  const simulation = { input: { ...order('x').input, simulate_only: true } }
  expect(await client.call('trading.execute', simulation, ada.token)).toMatchObject({ code: 'RATE_LIMITED' })
  // The simulation gave its place among the trades back.
  const second = await client.call('trading.execute', order('second'), ada.token)
  expect(second).toMatchObject({ ok: true, headers: { 'x-ratelimit-remaining': '8' } })
})

test('the operator is counted by the token, whoever floods the address', async () => {
  const client = world.clients.rest
  for (let sent = 0; sent < 110; sent += 1) await client.call('operator.listHalts', {}, 'a guess of the token')
  expect(await client.call('operator.listHalts', {}, 'another')).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await client.call('operator.listHalts', {}, operatorToken)).toMatchObject({
    ok: true,
    headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '99' },
  })
})
