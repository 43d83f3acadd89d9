import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord } from '../../src/kit/values.ts'
import { output } from '../clients/client.ts'
import { newestMeta, sendMcp } from '../clients/mcp.ts'
import { sharedWorld, type World } from '../world.ts'
import { type AgentAccount, agentAccount } from './agent.ts'

let world: World
let one: AgentAccount
beforeAll(async () => {
  world = await sharedWorld()
  one = await agentAccount(world.clients.rest)
})
afterAll(() => world[Symbol.asyncDispose]())

const called = (params: unknown): [string, unknown] => ['tools/call', params]

test.each([
  [...called({ name: 5 }), 'params.name must be a text'],
  [...called({}), 'params.name is required'],
  [...called(undefined), 'params is required'],
  [...called({ name: 'quote', arguments: [] }), 'params.arguments must be an object'],
  [...called({ name: 'quote', arguments: 'x' }), 'params.arguments must be an object'],
  [...called({ name: 'quote', _meta: 5 }), 'params._meta must be an object'],
  [...called({ name: 'quote', _meta: { progressToken: {} } }), 'params._meta.progressToken must be'],
  ['initialize', {}, 'params.protocolVersion is required; params.capabilities is required; params.clientInfo is'],
  ['initialize', undefined, 'params is required'],
  ['tools/list', { cursor: 5 }, 'params.cursor must be a text'],
  ['tools/list', 7, 'params must be an object'],
  ['ping', [], 'params must be an object'],
  ['tools/list', { cursor: 'none' }, 'params.cursor is of no answer'],
  [
    'ping',
    { _meta: { 'io.modelcontextprotocol/related-task': 5 } },
    'params._meta.io.modelcontextprotocol/related-task',
  ],
] as [string, unknown, string][])(
  'of %s with %j the answer says what is wrong with the parameters',
  async (method, params, words) => {
    const message = { jsonrpc: '2.0', id: 7, method, params }
    const wrong = { id: 7, error: { code: -32602, message: expect.stringContaining(`Invalid params: ${words}`) } }
    const old = await sendMcp(world.urls.http, one.agent, message, { accept: 'application/json' })
    expect(JSON.parse(old.text)).toMatchObject(wrong)
    expect(old.text).not.toMatch(/invalid_type|\\n/)
    // The newest revision has no handshake, and reads `_meta` first.
    const isModern = isRecord(params) && params._meta === undefined && method !== 'initialize'
    if (!isModern) return
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'quote' }
    const now = { ...message, params: { ...params, _meta: newestMeta() } }
    expect(JSON.parse((await sendMcp(world.urls.http, one.agent, now, headers)).text)).toMatchObject(wrong)
  },
)

test('a trade whose parameters are wrong beside its arguments is not made, alone and in a batch', async () => {
  const given = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '1' }
  const params = { name: 'trade', arguments: given, _meta: { progressToken: {} } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  for (const body of [message, [message, { jsonrpc: '2.0', id: 2, method: 'ping' }]])
    expect((await sendMcp(world.urls.http, one.agent, body)).text).toMatch(/-32602.*progressToken must be/)
  const { items } = await output(world.clients.rest.call('trading.listExecutions', {}, one.account.token))
  expect(items).toEqual([])
})

test('wrong parameters of one message of a batch are named in its answer, and the others are served', async () => {
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: {} } },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: [] },
    { jsonrpc: '2.0', id: 4, method: 'ping', params: { _meta: 'x' } },
    { jsonrpc: '2.0', id: 5, method: 'nothing', params: 7 },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: 7 },
  ]
  const { text } = await sendMcp(world.urls.http, one.agent, messages, { accept: 'application/json' })
  const answers: { id: number }[] = JSON.parse(text)
  expect(answers.toSorted((one, other) => one.id - other.id)).toMatchObject([
    { id: 1, error: { code: -32602, message: 'Invalid params: params.cursor must be a text' } },
    { id: 2, result: {} },
    { id: 3, error: { code: -32602, message: 'Invalid params: params must be an object' } },
    { id: 4, error: { code: -32602, message: 'Invalid params: params._meta must be an object' } },
    { id: 5, error: { code: -32601 } },
  ])
})
