import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendMcp } from '../clients/mcp.ts'
import { operatorToken } from '../operator-token.ts'
import { openWorld, type World } from '../world.ts'
import { type AgentAccount, agentAccount, agentToken } from './agent.ts'

const limit = 20
let world: World
let one: AgentAccount
/** Of its own rate. */
let other: AgentAccount
beforeAll(async () => {
  world = await openWorld({
    RATE_LIMITS: 'on',
    RATE_RULES: `default=${limit}/600`,
    CORS_ORIGINS: 'https://app.example',
  })
  one = await agentAccount(world.clients.rest)
  other = await agentAccount(world.clients.rest)
})
afterAll(() => world[Symbol.asyncDispose]())

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const callOf = (name: string, given: object = {}, id = 2) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
})
/** The status of a request for another host, which `fetch` cannot send. */
async function statusFor(host: string): Promise<number | undefined> {
  const headers = {
    host,
    authorization: `Bearer ${one.agent}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const sent = request(new URL('/mcp', world.urls.http), { method: 'POST', headers })
  sent.end(JSON.stringify(list))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const send = (token: string | null, body: unknown, headers = {}) => sendMcp(world.urls.http, token, body, headers)

test('without the token of a session it is refused, and says where to read how to get one', async () => {
  const url = `${world.urls.http}/.well-known/oauth-protected-resource/mcp`
  for (const token of [null, 'nonsense', one.account.userToken, operatorToken]) {
    const refused = await send(token, list)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}"`)
  }
  const metadata = await (await fetch(url)).json()
  expect(metadata).toEqual({
    resource: `${world.urls.http}/mcp`,
    resource_name: 'Trident',
    resource_documentation: `${world.urls.http}/docs/guides/mcp`,
    bearer_methods_supported: ['header'],
  })
})

test('a session without confirm_above_usd is refused, and the refusal says how to start another', async () => {
  const free = await agentToken(world.clients.rest, one.account, { confirm_above_usd: undefined })
  for (const token of [one.account.token, free]) {
    const refused = await send(token, list)
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'PERMISSION_DENIED',
      detail: expect.stringMatching(/confirm_above_usd/),
    })
  }
})

test('pages of other origins and other names of the host are refused, the own and allowed ones are not', async () => {
  for (const headers of [{ origin: 'https://elsewhere.example' }, { origin: 'null' }])
    expect(await send(one.agent, list, headers)).toMatchObject({
      status: 403,
      text: expect.stringMatching(/CORS_ORIGINS/),
    })
  for (const [host, status] of [
    ['elsewhere.example', 403],
    ['localhost', 200],
  ] as const)
    expect([host, await statusFor(host)]).toEqual([host, status])
  for (const headers of [{ origin: 'https://app.example' }, { origin: world.urls.http }])
    expect(await send(one.agent, list, headers)).toMatchObject({ status: 200 })
})

test('what is no message is refused by its fault, and nothing thrown is shown', async () => {
  for (const [body, status] of [
    ['{', 400],
    ['', 400],
    ['null', 400],
    ['[]', 400],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 7 }, 400],
    [Array.from({ length: 101 }, () => list), 413],
  ] as const) {
    const refused = await send(one.agent, body)
    expect([body === '' ? 'empty' : body, refused.status, refused.text]).toEqual([
      body === '' ? 'empty' : body,
      status,
      expect.not.stringMatching(/at .*\.ts|node_modules|TypeError/),
    ])
  }
})

test('each message of a batch counts, and so does a call that no tool has seen', async () => {
  const fresh = await agentAccount(world.clients.rest)
  const left = async () => {
    const outcome = await world.clients.rest.call('auth.whoAmI', {}, fresh.agent)
    return Number(outcome.headers['x-ratelimit-remaining'])
  }
  const before = await left()
  await send(fresh.agent, [list, callOf('find_token'), callOf('no_such_tool', {}, 3)])
  expect(await left()).toBe(before - 4)
  await send(fresh.agent, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: 7 })
  expect(await left()).toBe(before - 6)
  for (const body of ['{', '[]']) await send(fresh.agent, body)
  expect(await left()).toBe(before - 9)
  const many = await send(
    fresh.agent,
    Array.from({ length: 30 }, (_, id) => callOf('search_operations', { query: 'price' }, id)),
  )
  expect(many.text).toMatch(/RATE_LIMITED/)
  const refused = await send(fresh.agent, list)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  ['application/json', 'application/json'],
  ['*/*', 'application/json'],
  [undefined, 'application/json'],
  ['text/event-stream', 'text/event-stream'],
])('a caller that accepts %s is served as %s', async (accept, type) => {
  const quoted = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }
  const ask = async (body: object) => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    const headers = {
      authorization: `Bearer ${other.agent}`,
      'content-type': 'application/json',
      ...(accept !== undefined && { accept }),
    }
    request(new URL('/mcp', world.urls.http), { method: 'POST', headers }, resolve).end(JSON.stringify(body))
    const answer = await promise
    const text = await textOf(answer)
    expect([answer.statusCode, answer.headers['content-type']?.split(';')[0]]).toEqual([200, type])
    return JSON.parse(type === 'application/json' ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ''))
  }
  expect(await ask(list)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
  expect(await ask(callOf('quote', quoted))).toMatchObject({
    id: 2,
    result: { structuredContent: { quote_id: expect.any(String) } },
  })
})
