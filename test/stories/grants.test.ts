import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { type Scope, scopes } from '../../src/contract/shared/grants.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { type Client, output, refusalOf } from '../clients/client.ts'
import { fundedAccount, newAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** A session of the account that has this grant; returns its token. */
async function granted(client: Client, userToken: string, grant: object): Promise<string> {
  const session = await output(client.call('auth.createSession', { grant }, userToken))
  expect(session.grant).toEqual(grant)
  return session.token.access_token
}

/** The operations that take a session token, with the scope that each needs. */
const scoped = [...operations()].flatMap(([id, operation]) => {
  const { scope = 'none' } = operation as Operation
  return scope === 'none' ? [] : [{ id, scope, operation: operation as Operation }]
})

describe.each(protocols)('over %s', (protocol) => {
  test('every operation is refused to a session without its scope', async () => {
    const client = world.clients[protocol]
    const { userToken } = await newAccount(client)
    const tokens = new Map<Scope, string>()
    for (const scope of scopes) tokens.set(scope, await granted(client, userToken, { scopes: [scope] }))
    const passed: string[] = []
    for (const { id, scope, operation } of scoped)
      for (const other of scopes.filter((each) => each !== scope)) {
        const refusal = await refusedBy(client, id, operation, tokens.get(other)!)
        const says = `needs the scope ${scope}, and this session has only ${other}`
        if (refusal?.code !== 'PERMISSION_DENIED' || !refusal.message.includes(says))
          passed.push(`${id} with ${other}: ${refusal?.code} ${refusal?.message}`)
      }
    expect(scoped.length).toBeGreaterThan(45)
    expect(passed).toEqual([])
  })

  test('a grant is shown wherever the session is, and stays with a token that is issued again', async () => {
    const client = world.clients[protocol]
    const { userToken } = await newAccount(client)
    const grant = { scopes: ['read', 'trade'], max_trade_usd: 12.5, max_daily_usd: 100 }
    const token = await granted(client, userToken, grant)
    expect(await output(client.call('auth.whoAmI', {}, token))).toMatchObject({ session: { grant } })
    const [entry] = await output(client.call('auth.listSessions', {}, userToken))
    expect(entry).toMatchObject({ grant })
    await client.call('auth.logout', {}, token)
    const again = entry.token.access_token as string
    expect(await client.call('trading.createWallet', { wallet_ref: 'mine' }, again)).toMatchObject({
      code: 'PERMISSION_DENIED',
    })
    const whole = await output(client.call('auth.createSession', {}, userToken))
    expect(whole).not.toHaveProperty('grant')
  })

  test('an empty list of scopes, and a negative cap, are refused', async () => {
    const client = world.clients[protocol]
    const { userToken } = await newAccount(client)
    const wrong = [{ scopes: [] }, { scopes: ['read'], max_trade_usd: -1 }]
    for (const grant of wrong)
      expect(await client.call('auth.createSession', { grant }, userToken)).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

/** What needs more than to read, and what every session may do. */
const beyondRead = {
  trade: ['trading.execute'],
  transfer: [],
  admin: [
    ...['auth.renameSession', 'auth.changePassword', 'auth.deleteAccount', 'auth.logoutEverywhere'],
    ...['trading.createWallet', 'trading.importWallet', 'trading.exportWallet'],
  ],
  none: ['auth.whoAmI', 'auth.logout', 'auth.deleteSession'],
} as const

test('what needs more than to read is this, and nothing else', () => {
  const found = Object.groupBy([...operations()], ([, operation]) => (operation as Operation).scope ?? 'read')
  for (const [scope, ids] of Object.entries(beyondRead))
    expect((found[scope as keyof typeof found] ?? []).map(([id]) => id).toSorted(), scope).toEqual([...ids].toSorted())
})

test('a session has what it was granted, and every session may end itself', async () => {
  const { rest } = world.clients
  const { userToken } = await newAccount(rest)
  for (const scope of scopes) {
    const token = await granted(rest, userToken, { scopes: [scope] })
    // Those that end the session come last.
    const own = scoped.filter((each) => each.scope === scope && each.id !== 'auth.logoutEverywhere')
    for (const { id, operation } of own.filter((each) => each.operation.kind === 'unary')) {
      const refusal = await refusedBy(
        rest,
        id,
        { ...operation, example: { ...operation.example, input: wrong } },
        token,
      )
      expect(refusal?.message ?? '', id).not.toContain('needs the scope')
    }
    expect(await rest.call('auth.logout', {}, token)).toMatchObject({ ok: true })
  }
})

/** Refused by every operation that takes a field, so that nothing is changed. */
const wrong = { limit: 'x', password: 1, name: 1, wallet_ref: 1, session_id: 'x', current_password: 1 }

test('an operation that a session token may call says which scope it needs, and no other does', () => {
  const silent = [...operations()].filter(([, operation]) => {
    const { auth, scope } = operation as Operation
    return (auth === 'session' || auth === 'any') !== (scope !== undefined)
  })
  expect(silent.map(([id]) => id)).toEqual([])
})

test('an unknown field of a grant is refused, and the body may be left out', async () => {
  const { userToken } = await newAccount(world.clients.rest)
  const post = (body?: string) =>
    fetch(`${world.urls.http}/api/v1/auth/session`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${userToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
  expect((await post()).status).toBe(200)
  expect((await post('{"grant":{"scopes":["read"],"max_trade_eur":5}}')).status).toBe(422)
  expect((await post('{"grant":{"scopes":["everything"]}}')).status).toBe(422)
})

test('a cap above the one that the gateway sets for every account is refused, by its field', async () => {
  await using capped = await openWorld({ MAX_TRADE_USD: '100', MAX_DAILY_USD: '500' })
  const { rest } = capped.clients
  const { userToken } = await newAccount(rest)
  const ask = (grant: object) => rest.call('auth.createSession', { grant }, userToken)
  expect(await ask({ scopes: ['trade'], max_trade_usd: 101 })).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [{ path: 'grant.max_trade_usd', message: expect.stringMatching(/at most 100/) }],
  })
  expect(await ask({ scopes: ['trade'], max_trade_usd: 100, max_daily_usd: 500 })).toMatchObject({ ok: true })
})

test('a refused session takes nothing from the rates of its account', async () => {
  await using limited = await openWorld({ RATE_LIMITS: 'on' })
  const { rest } = limited.clients
  const account = await newAccount(rest)
  const token = await granted(rest, account.userToken, { scopes: ['read'] })
  const exporting = { wallet_ref: 'default', account_password: 'not it', keystore_password: 'staple of another kind' }
  for (let turn = 0; turn < 12; turn += 1)
    expect(await rest.call('trading.exportWallet', exporting, token)).toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(await rest.call('trading.exportWallet', exporting, account.token)).not.toMatchObject({ code: 'RATE_LIMITED' })
})

test('a cap is the number that was sent, to its last digit', async () => {
  const { rest } = world.clients
  const { userToken } = await newAccount(rest)
  for (const max_trade_usd of [12.34, 250.55, 0.1, 1e-7, 1e15, 0])
    await granted(rest, userToken, { scopes: ['trade'], max_trade_usd })
  const account = await fundedAccount(rest)
  const token = await granted(rest, account.userToken, { scopes: ['trade'], max_trade_usd: 12.34 })
  const order = account.trade('USDC', 'WETH', '12.34', 'exact')
  expect(await output(rest.call('trading.execute', order, token))).toMatchObject({ status: 'success' })
})

test("a session's caps bind its trades by execute and by chat, and count its own trades alone", async () => {
  const { rest } = world.clients
  const account = await fundedAccount(rest)
  const token = await granted(rest, account.userToken, {
    scopes: ['read', 'trade'],
    max_trade_usd: 40,
    max_daily_usd: 60,
  })
  const buy = (amount: string, key: string, by: string) =>
    output(rest.call('trading.execute', account.trade('USDC', 'WETH', amount, key), by))
  expect(await buy('41', 'over', token)).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(/over the session's cap of 40/),
  })
  const trial = { input: account.swap('USDC', 'WETH', '41'), wallet_ref: 'default' }
  expect(await output(rest.call('trading.execute', trial, token))).not.toHaveProperty('transactions')
  expect(await buy('500', 'whole', account.token)).toMatchObject({ status: 'success' })
  expect(await buy('35', 'first', token)).toMatchObject({ status: 'success' })
  expect(await buy('35', 'second', token)).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(/the session's daily cap of 60/),
  })
  const say = async (content: string) =>
    (await output(rest.call('chat.send', { messages: [{ role: 'user', content }] }, token))).messages.at(-1)
      .content as string
  const offer = await say('swap 45 USDC for WETH')
  const [sentence = ''] = /confirm [0-9a-f-]{36}/.exec(offer) ?? []
  expect(await say(sentence)).toMatch(/over the session's cap of 40/)
})

test('a confirmation in chat trades nothing for a session that may only read', async () => {
  const { rest } = world.clients
  const account = await fundedAccount(rest)
  const token = await granted(rest, account.userToken, { scopes: ['read'] })
  const say = async (content: string) =>
    (await output(rest.call('chat.send', { messages: [{ role: 'user', content }] }, token))).messages.at(-1)
      .content as string
  const [sentence = ''] = /confirm [0-9a-f-]{36}/.exec(await say('swap 45 USDC for WETH')) ?? []
  expect(sentence).not.toBe('')
  expect(await say(sentence)).toMatch(/^Nothing was traded. This session may not trade/)
  expect((await output(rest.call('trading.listExecutions', {}, account.token))).items).toEqual([])
})

/** How a call of the operation's example is refused; null where it is not. A stream that opens ends the test by its time. */
async function refusedBy(client: Client, id: string, operation: Operation, token: string) {
  if (operation.kind === 'unary') {
    const answer = await client.call(id as never, operation.example.input as never, token)
    return answer.ok ? null : answer
  }
  return await refusalOf(client.stream(id as never, operation.example.input as never, token))
}
