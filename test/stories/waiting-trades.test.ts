import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, eventsOf, type Outcome, output, type Refusal } from '../clients/client.ts'
import { type Account, fundedAccount, password, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function agentOf(client: Client, { userToken }: Account) {
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: 0 }
  const made = await output(client.call('auth.createSession', { grant }, userToken))
  return { id: made.session_id as string, token: made.token.access_token as string }
}

let keys = 0
const ask = (client: Client, account: Account, token: string): Promise<Outcome> => {
  keys += 1
  return client.call('trading.execute', account.trade('USDC', 'WETH', '2', `waits-${keys}`), token)
}
const listed = async (client: Client, { token }: Account, input: object = {}) =>
  (await output(client.call('trading.listExecutions', input, token))).items

describe.each(protocols)('over %s', (by) => {
  test('five trades of a session wait at once, the next is told when the oldest ends', async () => {
    const client = world.clients[by]
    const account = await fundedAccount(client)
    const agent = await agentOf(client, account)
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask(client, account, agent.token)))
    const refused = asked.filter((outcome): outcome is Refusal => !outcome.ok)
    expect(asked.filter(({ ok }) => ok)).toHaveLength(5)
    expect(refused).toHaveLength(3)
    for (const one of refused) {
      expect(one).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/^The session has 5 trades that wait for the account, the most it may have\./),
        metadata: { limit: '5' },
      })
      expect(one.retryAfterSeconds).toBeGreaterThan(500)
      expect(one.retryAfterSeconds).toBeLessThanOrEqual(600)
      expect(one.headers['retry-after']).toBe(String(one.retryAfterSeconds))
    }
    // One that is decided leaves its place.
    const [first] = await listed(client, account)
    const decline = { execution_id: first.execution_id, approve: false }
    await output(client.call('trading.confirmExecution', decline, account.userToken))
    expect(await ask(client, account, agent.token)).toMatchObject({ ok: true })
  })

  test('what was declined, or whose session has ended, stays listed with its reason, and its key is free', async () => {
    const client = world.clients[by]
    const account = await fundedAccount(client)
    const [one, two] = [await agentOf(client, account), await agentOf(client, account)]
    const order = account.trade('USDC', 'WETH', '2', 'declined')
    const { execution_id } = await output(client.call('trading.execute', order, one.token))
    const decline = { execution_id, approve: false }
    await output(client.call('trading.confirmExecution', decline, account.userToken))
    expect(await client.call('trading.confirmExecution', decline, account.userToken)).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('The account declined it.'),
    })
    const shown = { execution_id, status: 'rejected', state: 'rejected', message: 'The account declined it.' }
    expect(await output(client.call('trading.getExecution', { execution_id }, account.token))).toMatchObject(shown)
    expect(await listed(client, account, { status: 'rejected' })).toMatchObject([shown])
    const { steps } = await output(client.call('trading.getTimeline', { execution_id }, account.token))
    expect(steps.at(-1)).toMatchObject({ step: 'rejected', message: 'Nothing was traded. The account declined it.' })
    const anew = await output(client.call('trading.execute', order, one.token))
    expect(anew.execution_id).not.toBe(execution_id)

    const kept = await output(ask(client, account, two.token))
    await output(client.call('auth.deleteSession', { session_id: one.id }, account.userToken))
    expect(await listed(client, account)).toMatchObject([
      { execution_id: kept.execution_id, state: 'awaiting_confirmation' },
      {
        execution_id: anew.execution_id,
        state: 'rejected',
        message: 'The session that requested the trade was deleted.',
      },
      shown,
    ])
    const events = await eventsOf(client.stream('trading.watchExecution', { execution_id }, account.token))
    expect(events.at(-1)).toMatchObject({ state: 'rejected', message: 'The account declined it.' })
  })
})

test('twenty trades of an account wait at once', async () => {
  const client = world.clients.trpc
  const account = await fundedAccount(client)
  const agents = await Promise.all(Array.from({ length: 5 }, () => agentOf(client, account)))
  const asked = await Promise.all(agents.flatMap(({ token }) => [1, 2, 3, 4, 5].map(() => ask(client, account, token))))
  expect(asked.filter(({ ok }) => ok)).toHaveLength(20)
  for (const one of asked.filter(({ ok }) => !ok))
    expect(one).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/^The account has 20 trades/) })
})

test('an account with trades that wait is deleted at the first try, and so are they', async () => {
  const client = world.clients.rest
  const account = await fundedAccount(client)
  const agent = await agentOf(client, account)
  await output(ask(client, account, agent.token))
  expect(await client.call('auth.deleteAccount', { password }, account.userToken)).toMatchObject({ ok: true })
})
