import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../clients/client.ts'
import { rpcClient } from '../clients/json-rpc.ts'
import { mcpClient } from '../clients/mcp.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { agentToken } from '../mcp/agent.ts'
import { newAccount, openWorld, type World } from '../world.ts'

const key = 'key-of-refused-inputs-0123456789'
let world: World
beforeAll(async () => {
  const rules = 'work=100/3600,work_developer=20/3600'
  world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: rules, RPC_API_KEYS: `${key}:developer` })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, {}]))
const call = (overrides: object) => ({ transaction: { to: `0x${'11'.repeat(20)}` }, stateOverrides: overrides })

/** What the caller has left of its work, as the refusal says. */
function leftOf(outcome: Outcome, message: RegExp): number {
  expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  return Number(outcome.headers['x-ratelimit-work-remaining'])
}

test('a refused input counts as work, by its size, on every protocol', async () => {
  const { rest, trpc, grpc } = world.clients
  const rpc = rpcClient(world.urls.rpc, 'rpcByName')
  let left = 100
  for (const [client, id, input, units, message] of [
    [rest, 'auth.register', { email: 'no address', password: 'x' }, 1, /email/],
    [rest, 'auth.register', { email: 'ada@example.com', more: Array(600).fill(0) }, 1, /more than 500 values/],
    [trpc, 'chain.call', call(names(9_000)), 5, /stateOverrides: has more than 1000 fields/],
    [grpc, 'chain.call', call(names(19_000)), 10, /stateOverrides: has more than 1000 fields/],
    [rpc, 'chain.call', call(names(19_000)), 10, /stateOverrides: has more than 1000 fields/],
    [rpc, 'chain.call', { transaction: { data: `0x${'zz'.repeat(200_000)}` } }, 7, /data/],
    [trpc, 'chain.getBalance', { address: 'none' }, 1, /address/],
  ] as const) {
    left -= units
    expect([client.protocol, id, leftOf(await client.call(id, input), message)]).toEqual([client.protocol, id, left])
  }
})

test('a refused input counts as work over a socket and by a tool too', async () => {
  const account = await newAccount(world.clients.trpc)
  const token = await agentToken(world.clients.trpc, account)
  await using agent = await mcpClient(world.urls.http, token)
  const { socket, ask } = await openRpcSocket(world.urls.rpc)
  const probe = async () => leftOf(await world.clients.rest.call('auth.register', { email: 'no address' }), /email/)
  const left = await probe()
  const { transaction, stateOverrides } = call(names(9_000))
  expect(await ask('eth_call', [transaction, 'latest', stateOverrides])).toMatchObject({ error: { code: -32602 } })
  socket.terminate()
  expect(await probe()).toBe(left - 5 - 1)
  expect(await agent.call('quote', { sell: 7 })).toMatchObject({ refused: true })
  expect(await probe()).toBe(left - 6 - 1 - 1)
  const long = { operation: 'trading.previewIntent', input: { text: Array(3_000).fill('sell') } }
  expect(await agent.call('call_operation', long)).toMatchObject({ refused: true })
  expect(await probe()).toBe(left - 8 - 2 - 1)
})

test('what cannot be read counts by its bytes, on every protocol that reads bodies', async () => {
  const { rest } = world.clients
  const probe = async () => leftOf(await rest.call('auth.register', { email: 'no address' }), /email/)
  const broken = `{"a":"${'x'.repeat(200_000)}`
  const send = async (url: string, path: string, type = 'application/json', body = broken) => {
    const answer = await fetch(new URL(path, url), { method: 'POST', headers: { 'content-type': type }, body })
    return await answer.text()
  }
  let left = await probe()
  for (const [work, text, units] of [
    [() => send(world.urls.http, '/api/v1/auth/register'), /not JSON/, 4],
    [() => send(world.urls.http, '/trpc/auth.register'), /not JSON/, 3],
    [() => send(world.urls.rpc, '/'), /Parse error|JSON/, 3],
    [() => send(world.urls.rpc, '/', 'application/json', `[${'7,'.repeat(70_000)}7]`), /longer than 100/, 2],
    [
      () => send(world.urls.http, '/api/v1/auth/login', 'application/x-www-form-urlencoded', 'a=1&'.repeat(50_000)),
      /more than 1000 fields/,
      4,
    ],
  ] as const) {
    expect(await work()).toMatch(text)
    const now = await probe()
    expect([String(text), now]).toEqual([String(text), left - units - 1])
    left = now
  }
})

test('who has sent too much that is refused is served no more reads that run code, and other reads still', async () => {
  const rpc = rpcClient(world.urls.rpc, 'rpcByName')
  const by = { headers: { 'x-api-key': key } }
  const answers = [1, 2, 3].map(async () => await rpc.call('chain.call', call(names(19_000)), undefined, by))
  for (const answer of await Promise.all(answers)) expect(answer.ok).toBe(false)
  const refused = await rpc.call('chain.call', call({}), undefined, by)
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('The rate work_developer allows 20') })
  expect(await rpc.call('chain.blockNumber', {}, undefined, by)).toMatchObject({ ok: true })
})
