import { afterAll, beforeAll, expect, test } from 'vitest'
import { VolumeSeriesRequest } from '../../generated/grpc/proto/trident/v1/metrics.ts'
import { output } from '../clients/client.ts'
import { agentToken } from '../mcp/agent.ts'
import { type Account, newAccount, sharedWorld, type World } from '../world.ts'

/** What the clients of other languages write: each kind of text that a strict reader refuses, or a loose one misreads. */
let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.each(['rest', 'trpc', 'grpc'] as const)('a day by its date, and a time in any form, over %s', async (protocol) => {
  const series = async (start: string, end: string) =>
    (
      await output(world.clients[protocol].call('metrics.volumeSeries', { start, end, bucket: 'hour' }, account.token))
    ).points.map((point: { start: string }) => point.start)
  const hours = await series('2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z')
  expect([hours.length, hours.at(0), hours.at(-1)]).toEqual([
    24,
    '2026-01-31T00:00:00.000Z',
    '2026-01-31T23:00:00.000Z',
  ])
  if (protocol === 'grpc') return // its times are no texts
  for (const [start, end] of [
    ['2026-01-31', '2026-02-01'],
    ['2026-01-31t00:00:00z', '2026-01-31 23:59:60Z'],
    ['2026-01-31 05:30:00+0530', '2026-01-31T19:00-0500'],
    ['2026-01-31T00:00', '2026-02-01 00:00:00+00'],
  ] as const)
    expect([start, end, await series(start, end)]).toEqual([start, end, hours])
})

/** The status of a response, its code and the paths of its violations. */
async function refusalOf(response: Promise<Response>) {
  const { status, text } = await response.then(async (one) => ({ status: one.status, text: await one.text() }))
  const { error, ...problem } = JSON.parse(text)
  const { code, errors = [] } = error?.data?.trident ?? problem
  return [status, code, errors.map(({ path }: { path: string }) => path)]
}

const form = 'application/x-www-form-urlencoded'
const send = (path: string, body: string, type = 'application/json', token = account.token) =>
  fetch(world.urls.http + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, accept: 'application/json, text/event-stream' },
    body,
  })
const get = (path: string) => fetch(world.urls.http + path, { headers: { authorization: `Bearer ${account.token}` } })

test.each(['%E9', '%FF', '%ZZ', '%', '%C3', '%ED%A0%80', '%C0%AF', '50%off'])(
  '%s is no text, in a query, a form and the input of tRPC',
  async (bytes) => {
    for (const [asked, field] of [
      [get(`/api/v1/positions?token_symbol=${bytes}`), 'token_symbol'],
      [get(`/api/v1/positions?limit=1&na${bytes}me=1`), `na${bytes}me`],
      [send('/api/v1/auth/login', `username=ada%40example.com&password=${bytes}`, form), 'password'],
      [send('/api/v1/auth/login', `username=${bytes}&password=x`, form), 'username'],
      [get(`/trpc/trading.listExecutions?input=${bytes}`), 'input'],
      [get(`/trpc/trading.listExecutions?batch=1&input=${bytes}`), 'input'],
    ] as const) {
      expect([field, await refusalOf(asked)]).toEqual([field, [400, 'MALFORMED_REQUEST', [field]]])
    }
    // A browser is shown a page.
    for (const path of [`/faucet?claim=${bytes}`, `/bridge?transfer=${bytes}`, `/explorer/search?q=${bytes}`]) {
      const page = await fetch(world.urls.http + path, { headers: { accept: 'text/html' } })
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 400, 'text/html; charset=utf-8'])
    }
  },
)

test('a field that is sent twice, or too many, are refused', async () => {
  const asked = `/api/v1/positions?${'&'.repeat(1_001)}token_symbol=WETH`
  expect(await refusalOf(get(asked))).toEqual([400, 'MALFORMED_REQUEST', []])
  const twice = await (await get('/api/v1/multi-agent/executions?limit=1&limit=2')).json()
  expect(twice).toMatchObject({ code: 'INVALID_ARGUMENT', detail: expect.stringContaining('send the field once') })
})

test('escaped text is read as it was meant, everywhere', async () => {
  const query = new URLSearchParams({ token_symbol: 'é+% &=' }).toString()
  expect((await get(`/api/v1/positions?${query}`)).status).toBe(200)
  expect((await get('/api/v1/positions?token_symbol=a%20b+c')).status).toBe(200)
})

test('a key that an object has twice is refused by its path, where unknown fields are', async () => {
  const input = JSON.stringify(account.swap('WETH', 'USDC', '0.5')).replace('{', '{"amount_in":"5",')
  const twice = `{"input":${input}}`
  const repeated = (...paths: string[]) => [422, 'INVALID_ARGUMENT', paths]
  const quote = '/api/v1/multi-agent/quote/evm/pseudo'
  expect(await refusalOf(send(quote, twice))).toEqual(repeated('input.amount_in'))
  expect(await refusalOf(send(quote, `{"input":{},"input":{}}`))).toEqual(repeated('input'))
  expect(await refusalOf(send('/api/v1/auth/login', '{"username":"a","username":"b","password":"c"}'))).toEqual(
    repeated('username'),
  )
  expect(await refusalOf(send('/trpc/trading.quote', twice))).toEqual(repeated('input.amount_in'))
  expect(await refusalOf(send('/trpc/trading.quote?batch=1', `{"0":${twice}}`))).toEqual(repeated('0.input.amount_in'))
  const read = encodeURIComponent('{"limit":1,"limit":2}')
  expect(await refusalOf(get(`/trpc/trading.listExecutions?input=${read}`))).toEqual(repeated('limit'))
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote","arguments":${input}}}`
  const agent = await agentToken(world.clients.rest, account)
  expect(await refusalOf(send('/mcp', call, 'application/json', agent))).toEqual(repeated('params.arguments.amount_in'))
  // Where unknown fields are ignored, and in methods of a node, the last one is taken.
  const said = '{"messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":"price of ETH"}]}'
  expect((await send('/api/v1/chatbot/chat', said)).status).toBe(200)
  const [none, some] = ['11', account.wallet.slice(2)].map((digits) => `0x${digits.padStart(40, '0')}`)
  const balance = await send('/trpc/chain.getBalance', `{"address":"${none}","address":"${some}"}`)
  expect([balance.status, JSON.parse(await balance.text()).result.data]).toEqual([
    200,
    await output(world.clients.trpc.call('chain.getBalance', { address: some })),
  ])
})

test('no form of a tRPC or MCP request hides a key that is sent twice', async () => {
  const input = JSON.stringify(account.swap('WETH', 'USDC', '0.5')).replace('{', '{"amount_in":"5",')
  const twice = `{"input":${input}}`
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`
  const many = `[${'0,'.repeat(20_000)}0]`
  const padded = `{${Array.from({ length: 30 }, (_, index) => `"k${index}":1,"k${index}":2`).join(',')}}`
  const mcp = (extra: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":${extra},"name":"quote","arguments":${input}}}`
  const agent = await agentToken(world.clients.rest, account)
  for (const [asked, status] of [
    [send('/trpc/trading.quote?batch=0', twice), 422],
    [send('/trpc/trading.quote?batch', twice), 422],
    [send('/trpc/trading.quote?connectionParams=null', twice), 422],
    [send('/trpc/trading.previewIntent,trading.quote?batch=1', `{"0":${padded},"1":${twice}}`), 422],
    [send('/trpc/trading.previewIntent,trading.quote?batch=1', `{"0":${deep},"1":${twice}}`), 413],
    [send('/trpc/trading.previewIntent,trading.quote?batch=1', `{"0":${many},"1":${twice}}`), 413],
    [send('/mcp', mcp(deep), 'application/json', agent), 413],
    [send('/mcp', mcp(many), 'application/json', agent), 413],
  ] as const)
    expect([status, (await asked).status]).toEqual([status, status])
  // A batch without such a key is served.
  const once = JSON.stringify({ input: account.swap('WETH', 'USDC', '0.5') })
  expect((await send('/trpc/trading.quote,trading.quote?batch=1', `{"0":${once},"1":${once}}`)).status).toBe(200)
})

test.each([
  ['a number above 2^53', 2 ** 53],
  ['the largest of 64 bits', 2 ** 63 - 1024],
  ['the least of 64 bits', -(2 ** 63)],
])('%s is refused over gRPC by its field, with the words of REST', async (_, chain_id) => {
  const violationsOver = async (protocol: 'rest' | 'grpc') => {
    const quoted = { input: { ...account.swap('WETH', 'USDC', '0.5'), chain_id } }
    const listed = await world.clients[protocol].call('trading.quote', quoted, account.token)
    return listed.ok ? null : [listed.code, listed.violations.map(({ path, message }) => [path, message])]
  }
  const overGrpc = await violationsOver('grpc')
  expect(overGrpc).toMatchObject(['INVALID_ARGUMENT', expect.arrayContaining([['input.chain_id', expect.any(String)]])])
  expect(overGrpc).toEqual(await violationsOver('rest'))
})

test.each([
  ['a second after the year 9999', 253_402_300_800n, 0],
  ['a second before the year 1', -62_135_596_801n, 0],
  ['the largest of 64 bits', 2n ** 63n - 1n, 0],
  ['a whole second of nanoseconds', 0n, 1_000_000_000],
  ['negative nanoseconds', 0n, -1],
])('a Timestamp of %s is refused over gRPC by its field, with the words of REST', async (_, seconds, nanos) => {
  const words = async (asked: ReturnType<typeof world.clients.rest.call>) => {
    const refused = await asked
    return refused.ok ? null : [refused.code, refused.violations]
  }
  const bytes = Buffer.from(
    VolumeSeriesRequest.encode({ start: { seconds, nanos }, agent: undefined, bucket: 0 }).finish(),
  )
  const { rest, grpc } = world.clients
  const overGrpc = await words(grpc.call('metrics.volumeSeries', bytes, account.token))
  expect(overGrpc).toEqual(await words(rest.call('metrics.volumeSeries', { start: 'no time' }, account.token)))
  expect(overGrpc?.[1]).toMatchObject([{ path: 'start' }])
})
