import { afterEach, expect, test } from 'vitest'
import { asOperator } from '../../../test/operator-token.ts'
import { authorized, exampleWorld, json, serveWorld, userToken, type World } from '../../../test/protocols/world.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AnyHandler } from '../../domain/core/handler.ts'
import { mediaType } from '../caller.ts'
import type { HttpServer } from '../http.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(handlers: Record<string, AnyHandler> = {}, limited = false) {
  const world = exampleWorld(handlers, limited)
  const server = await serveWorld(world)
  servers.push(server)
  const send = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { ...authorized, ...init.headers } })
  return { world, server, send }
}

const post = (body: unknown, headers: Record<string, string> = json): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const jsonOf = async (answer: Response) => JSON.parse(await answer.text())

test('every unary operation with a path returns its example', async () => {
  const { world, server } = await serve()
  for (const [id, operation] of world.operations) {
    const { http, example } = operation
    if (http === undefined || operation.kind === 'stream') continue
    const input: Record<string, unknown> = { ...example.input }
    const path = http.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(input[name]))
      delete input[name]
      return value
    })
    const token =
      operation.auth === 'user'
        ? { authorization: `Bearer ${userToken}` }
        : operation.auth === 'operator'
          ? asOperator
          : authorized
    const answer = await fetch(server.url + path + queryOf(http.method, input), requestOf(http, input, token))
    const body = await answer.json()
    expect([id, answer.status, body], JSON.stringify(body)).toEqual([id, 200, operation.output.parse(example.output)])
  }
})

function queryOf(method: string, input: Record<string, unknown>): string {
  if (method !== 'GET' && method !== 'DELETE') return ''
  const texts = Object.entries(input).flatMap(([key, value]) =>
    [value].flat().map((item) => [key, String(item)] as [string, string]),
  )
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`
}

function requestOf(
  http: NonNullable<World['operations'] extends ReadonlyMap<string, infer O> ? O['http' & keyof O] : never>,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): RequestInit {
  if (http.method === 'GET' || http.method === 'DELETE') return { method: http.method, headers }
  if (http.body === 'form')
    return { method: http.method, headers, body: new URLSearchParams(input as Record<string, string>) }
  return { method: http.method, headers: { ...headers, ...json }, body: JSON.stringify(input) }
}

test('a refusal is a problem document with the request id', async () => {
  const { server } = await serve()
  const answer = await fetch(`${server.url}/api/v1/chatbot/messages`, { headers: { 'x-request-id': 'mine-1' } })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  expect(answer.headers.get('x-request-id')).toBe('mine-1')
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(await jsonOf(answer)).toMatchObject({
    status: 401,
    code: 'UNAUTHENTICATED',
    request_id: 'mine-1',
    type: 'urn:trident:error:unauthenticated',
  })
})

test('a request id that is not visible ASCII is replaced', async () => {
  const { send } = await serve()
  const answer = await send('/api/v1/chatbot/messages', { headers: { 'x-request-id': 'x'.repeat(129) } })
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a field that breaks its rule is named', async () => {
  const { send } = await serve()
  const answer = await send('/api/v1/multi-agent/preview', post({ text: 7, more: 1 }))
  expect(answer.status).toBe(422)
  expect((await jsonOf(answer)).errors.map((error: { path: string }) => error.path)).toEqual(['text'])
})

test.each([
  ['malformed JSON', post('{"text":'), 400],
  ['bytes that are not UTF-8', { ...post(''), body: new Uint8Array([0x22, 0xff, 0x22]) }, 400],
  ['a list', post([]), 422],
  ['null', post('null'), 422],
  ['a form', post('text=x', { 'content-type': 'application/x-www-form-urlencoded' }), 415],
  ['no content type', { ...post(''), body: new Uint8Array([0x7b, 0x7d]), headers: {} }, 415],
  ['a content encoding', post({ text: 'x' }, { ...json, 'content-encoding': 'gzip' }), 415],
  ['more than 1 MiB', post({ text: 'x'.repeat(1_100_000) }), 413],
  ['nothing at all', { method: 'POST' }, 422],
  ['JSON type without a body', { method: 'POST', headers: json }, 422],
])('%s as a body is refused', async (_name, init, status) => {
  const { send } = await serve()
  const answer = await send('/api/v1/multi-agent/preview', init)
  expect([answer.status, mediaType(answer.headers.get('content-type') ?? '')]).toEqual([
    status,
    'application/problem+json',
  ])
  expect(answer.headers.get('x-request-id')).not.toBeNull()
})

test('a form operation takes a form or JSON, each field once', async () => {
  const { server } = await serve()
  const login = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v1/auth/login`, { method: 'POST', body, headers })
  expect((await login(new URLSearchParams({ username: 'a@example.com', password: 'correct horse' }))).status).toBe(200)
  expect((await login(JSON.stringify({ username: 'a@example.com', password: 'correct horse' }), json)).status).toBe(200)
  expect((await login('username=a', { 'content-type': 'text/plain' })).status).toBe(415)
  const twice = await login(
    new URLSearchParams([
      ['username', 'a@example.com'],
      ['username', 'b@example.com'],
      ['password', 'correct horse'],
    ]),
  )
  expect(twice.status).toBe(422)
})

test('unknown query and body fields are refused or named, a path field overrides a body field', async () => {
  const { send } = await serve()
  const query = await send('/api/v1/positions?agent=a&agent=b&color=red')
  expect((await jsonOf(query)).errors.map((error: { path: string }) => error.path).sort()).toEqual(['agent', 'color'])
  const misplaced = await send('/api/v1/wallets?wallet_ref=x', post({ wallet_ref: 'other' }))
  expect((await jsonOf(misplaced)).errors).toMatchObject([{ path: 'query.wallet_ref' }])
  const lang = await send('/api/v1/multi-agent/preview?lang=x', post({ text: 'quote' }))
  expect([lang.status, lang.headers.get('x-ignored-fields')]).toEqual([200, 'query.lang'])
  const id = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
  const both = await send(`/api/v1/chatbot/chat/stream/${id}/stop`, post({ stream_id: id }))
  expect([both.status, both.headers.get('x-ignored-fields')]).toEqual([200, 'body.stream_id'])
})

test('a query number arrives as the number that JSON would read, other text is refused', async () => {
  const seen: unknown[] = []
  const { send } = await serve({
    'trading.listExecutions': async (_ports, input) => {
      seen.push(input)
      return { items: [], next_cursor: null }
    },
  })
  const ask = (limit: string) => send(`/api/v1/multi-agent/executions?limit=${limit}`)
  for (const text of ['5', '1e1']) expect((await ask(text)).status).toBe(200)
  expect(seen).toMatchObject([{ limit: 5 }, { limit: 10 }])
  for (const text of ['5x', '', '0x5', '05', '5.', '+5']) expect((await ask(text)).status).toBe(422)
  const tooMany = await jsonOf(await ask('1e3'))
  expect(tooMany.errors).toMatchObject([{ path: 'limit', code: 'too_big' }])
})

test('an unknown path is 404, a known one with another method 405', async () => {
  const { send } = await serve()
  const unknown = await send('/api/v1/nothing')
  expect([unknown.status, (await jsonOf(unknown)).code]).toEqual([404, 'NOT_FOUND'])
  const other = await send('/api/v1/chatbot/chat', { method: 'PUT' })
  expect([other.status, other.headers.get('allow'), (await jsonOf(other)).code]).toEqual([
    405,
    'POST',
    'METHOD_NOT_ALLOWED',
  ])
  const status = async (path: string, method: string) => (await send(path, { method })).status
  expect(await status('/api/v1/chatbot/chat', 'QUERY')).toBe(405)
  expect(await status(`/api/v1/auth/session/${'x'.repeat(36)}`, 'QUERY')).toBe(405)
})

test('an unexpected failure is hidden, an unimplemented operation says so, a limit says when to retry', async () => {
  const { send, world } = await serve({
    'metrics.realizedPnl': async () => {
      throw new Error('secret of the house')
    },
    'metrics.unrealizedPnl': async () => {
      throw new DomainError('UNIMPLEMENTED', 'Not built yet.')
    },
  })
  const broken = await send('/api/v1/metrics/pnl')
  expect([broken.status, (await broken.text()).includes('secret')]).toEqual([500, false])
  expect(world.unexpected).toHaveLength(1)
  expect((await send('/api/v1/metrics/pnl/unrealized')).status).toBe(501)
  const limited = await (await serve({}, true)).send('/api/v1/chatbot/messages')
  expect([limited.status, limited.headers.get('retry-after'), limited.headers.get('x-ratelimit-remaining')]).toEqual([
    429,
    '7',
    '0',
  ])
})

test('an operation with its own refusal sends that instead of a problem document', async () => {
  const later = '2031-04-05T06:07:08.000Z'
  const { send } = await serve({
    'chain.claimFaucet': async () => {
      throw new DomainError('RATE_LIMITED', 'Claim again later.', { metadata: { next_claim_time: later } })
    },
  })
  const begun = Date.now()
  const atOnce = expect.toSatisfy((moment: string) => Date.parse(moment) >= begun && Date.parse(moment) <= Date.now())
  for (const [body, status, nextClaimTime] of [
    ['{"address":"nobody"}', 422, atOnce],
    ['{', 400, atOnce],
    [JSON.stringify({ address: `0x${'ab'.repeat(20)}` }), 429, later],
  ] as const) {
    const answer = await send('/faucet/api/claim', post(body))
    expect([answer.status, mediaType(answer.headers.get('content-type') ?? '')]).toEqual([status, 'application/json'])
    const error = expect.any(String)
    expect(await jsonOf(answer)).toEqual({ success: false, txHash: '', amount: '0', nextClaimTime, error })
  }
})

test('a caller that disconnects aborts its operation', async () => {
  const started = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const { send } = await serve({
    'metrics.realizedPnl': async (_ports, _input, call) => {
      call.signal.addEventListener('abort', () => left.resolve())
      started.resolve()
      await left.promise
      throw call.signal.reason
    },
  })
  const leaving = new AbortController()
  const request = send('/api/v1/metrics/pnl', { signal: leaving.signal }).catch(() => undefined)
  await started.promise
  leaving.abort()
  await Promise.all([left.promise, request])
})
