import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, output } from '../clients/client.ts'
import { drawn } from '../sized.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** An account, and the token of a session of it whose trades above a value wait for the account. */
async function withAgent(client: Client, above: number, more: object = {}) {
  const account = await fundedAccount(client)
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: above, ...more }
  const session = await output(client.call('auth.createSession', { grant }, account.userToken))
  expect(session.grant).toEqual(grant)
  return { account, agent: session.token.access_token as string }
}

const executionsOf = async (client: Client, { token }: Account, input = {}) =>
  (await output(client.call('trading.listExecutions', input, token))).items

describe.each(drawn(protocols, 1))('over %s', (protocol) => {
  test('a trade waits for the account, which alone can confirm it, and is then traded once', async () => {
    const client = world.clients[protocol]
    const { account, agent } = await withAgent(client, 0)
    const order = account.trade('USDC', 'WETH', '30', 'one')
    const asked = await output(client.call('trading.execute', order, agent))
    expect(asked).toMatchObject({
      status: 'pending',
      message: expect.stringMatching(/waits for the account to confirm it/),
    })
    expect(asked.confirm_url).toMatch(new RegExp(`/#/waiting/${asked.execution_id}$`))
    expect(await executionsOf(client, account, { state: 'awaiting_confirmation' })).toMatchObject([
      { execution_id: asked.execution_id, status: 'pending', amount_in: '30', awaits: { url: asked.confirm_url } },
    ])
    const confirm = (token: string, approve = true) =>
      client.call('trading.confirmExecution', { execution_id: asked.execution_id, approve }, token)
    for (const token of [agent, account.token]) expect(await confirm(token)).toMatchObject({ code: 'UNAUTHENTICATED' })
    const both = await Promise.all([output(confirm(account.userToken)), output(confirm(account.userToken))])
    expect(both.some(({ status }) => status === 'success')).toBe(true)
    const again = await output(client.call('trading.execute', order, agent))
    expect(again).toMatchObject({ status: 'success', execution_id: asked.execution_id, replayed: true })
    expect(await output(confirm(account.userToken, false))).toMatchObject({ status: 'success' })
    expect(await executionsOf(client, account)).toMatchObject([{ fill: { amount_in: '30' } }])
  })

  test('a declined trade is over, and its key is free', async () => {
    const client = world.clients[protocol]
    const { account, agent } = await withAgent(client, 0)
    const order = account.trade('USDC', 'WETH', '30', 'declined')
    const { execution_id } = await output(client.call('trading.execute', order, agent))
    const decline = { execution_id, approve: false }
    expect(await output(client.call('trading.confirmExecution', decline, account.userToken))).toMatchObject({
      status: 'rejected',
    })
    expect(await client.call('trading.confirmExecution', decline, account.userToken)).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await executionsOf(client, account)).toMatchObject([{ execution_id, state: 'rejected' }])
    const anew = await output(client.call('trading.execute', order, agent))
    expect(anew.execution_id).not.toBe(execution_id)
  })
})

test.each(drawn(protocols, 1))(
  'over %s any session may let a trade wait, and a simulation says whether it would',
  async (protocol) => {
    const client = world.clients[protocol]
    const { account, agent } = await withAgent(client, 50)
    const order = account.trade('USDC', 'WETH', '20', 'waits', { await_confirmation: true })
    const asked = await output(client.call('trading.execute', order, account.token))
    expect(asked).toMatchObject({ status: 'pending', confirm_url: expect.any(String) })
    const confirm = { execution_id: asked.execution_id, approve: true }
    expect(await output(client.call('trading.confirmExecution', confirm, account.userToken))).toMatchObject({
      status: 'success',
    })
    const simulated = async (amount: string, token: string, more = {}) => {
      const input = account.swap('USDC', 'WETH', amount)
      return await output(client.call('trading.execute', { input, wallet_ref: 'default', ...more }, token))
    }
    expect(await simulated('51', agent)).toMatchObject({ status: 'simulated', confirmation_needed: true })
    expect(await simulated('49', account.token, { await_confirmation: true })).toMatchObject({
      confirmation_needed: true,
    })
    for (const not of [await simulated('49', agent), await simulated('51', account.token)])
      expect(not).not.toHaveProperty('confirmation_needed')
  },
)

test.each(drawn(protocols, 1))('over %s a confirmation_id begins one trade', async (protocol) => {
  const client = world.clients[protocol]
  const account = await fundedAccount(client)
  const yes = { confirmation_id: 'yes of a person' }
  const order = account.trade('USDC', 'WETH', '20', 'first', yes)
  const both = await Promise.all(
    [order, order].map((each) => output(client.call('trading.execute', each, account.token))),
  )
  expect(both.map(({ status }) => status)).toContain('success')
  const other = account.trade('USDC', 'WETH', '20', 'second', yes)
  expect(await client.call('trading.execute', other, account.token)).toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringMatching(/began a trade already/),
  })
  expect(await executionsOf(client, account)).toMatchObject([{ fill: { amount_in: '20' } }])
})

test('only a trade above the threshold waits', async () => {
  const { rest } = world.clients
  const { account, agent } = await withAgent(rest, 50)
  const below = await output(rest.call('trading.execute', account.trade('USDC', 'WETH', '49', 'below'), agent))
  expect(below).toMatchObject({ status: 'success' })
  const above = await output(rest.call('trading.execute', account.trade('USDC', 'WETH', '51', 'above'), agent))
  expect(above).toMatchObject({ status: 'pending', confirm_url: expect.any(String) })
})

test('a confirmation in chat waits too', async () => {
  const { rest } = world.clients
  const { account, agent } = await withAgent(rest, 0)
  const say = async (content: string) =>
    (await output(rest.call('chat.send', { messages: [{ role: 'user', content }] }, agent))).messages.at(-1)
      .content as string
  const [sentence = ''] = /confirm [0-9a-f-]{36}/.exec(await say('swap 45 USDC for WETH')) ?? []
  expect(await say(sentence)).toMatch(
    /waits for the account to confirm it.*\n.*confirms it at http\S+\/#\/waiting\/\S+ until /,
  )
  expect(await executionsOf(rest, account)).toMatchObject([{ state: 'awaiting_confirmation' }])
})

test('the minimum that was shown binds: where the price has moved beyond it, nothing is traded', async () => {
  const { rest } = world.clients
  const { account, agent } = await withAgent(rest, 0)
  const order = account.trade('USDC', 'WETH', '1000', 'moved')
  order.input.slippage_bps = 1
  const asked = await output(rest.call('trading.execute', order, agent))
  expect(asked).toMatchObject({ status: 'pending' })
  const other = await fundedAccount(rest)
  await output(rest.call('trading.execute', other.trade('USDC', 'WETH', '20000', 'mover'), other.token))
  const confirmed = await output(
    rest.call('trading.confirmExecution', { execution_id: asked.execution_id, approve: true }, account.userToken),
  )
  expect(confirmed).toMatchObject({ status: 'failed', message: expect.stringMatching(/^Nothing was traded/) })
  expect(await executionsOf(rest, account)).toEqual([])
})

test("a waiting trade does not count against the session's daily cap until it is confirmed, and then does", async () => {
  const { rest } = world.clients
  const { account, agent } = await withAgent(rest, 0, { max_daily_usd: 60 })
  const ask = async (key: string) =>
    await output(rest.call('trading.execute', account.trade('USDC', 'WETH', '40', key), agent))
  const [first, second] = [await ask('first'), await ask('second')]
  const confirm = async (id: string) =>
    await output(rest.call('trading.confirmExecution', { execution_id: id, approve: true }, account.userToken))
  expect(await confirm(first.execution_id)).toMatchObject({ status: 'success' })
  expect(await confirm(second.execution_id)).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(/the session's daily cap of 60/),
  })
})

test('a trade of a session that was deleted cannot be confirmed', async () => {
  const { rest } = world.clients
  const { account, agent } = await withAgent(rest, 0)
  const asked = await output(rest.call('trading.execute', account.trade('USDC', 'WETH', '30', 'deleted'), agent))
  const { session } = await output(rest.call('auth.whoAmI', {}, agent))
  await rest.call('auth.deleteSession', { session_id: session.session_id }, account.userToken)
  const confirm = { execution_id: asked.execution_id, approve: true }
  expect(await rest.call('trading.confirmExecution', confirm, account.userToken)).toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringMatching(/session that requested the trade was deleted/),
  })
  expect(await executionsOf(rest, account)).toMatchObject([
    { state: 'rejected', message: 'The session that requested the trade was deleted.' },
  ])
})
