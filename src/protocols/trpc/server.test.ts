import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  createTRPCUntypedClient,
  httpBatchStreamLink,
  httpLink,
  type TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import type { AnyRouter } from '@trpc/server'
import { afterEach, expect, test } from 'vitest'
import { plans } from '../../../generated/trpc/router.ts'
import { asOperator } from '../../../test/operator-token.ts'
import { serveTrpc } from '../../../test/protocols/trpc-world.ts'
import { authorized, exampleWorld, json, userToken } from '../../../test/protocols/world.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AnyHandler } from '../../domain/core/handler.ts'
import type { HttpServer } from '../http.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(handlers: Record<string, AnyHandler> = {}, limited = false) {
  const world = exampleWorld(handlers, limited)
  const server = await serveTrpc(world)
  servers.push(server)
  const client = (
    headers: Record<string, string> = authorized,
    link: (options: { url: string; headers: Record<string, string> }) => TRPCLink<AnyRouter> = httpLink,
  ) => createTRPCUntypedClient<AnyRouter>({ links: [link({ url: `${server.url}/trpc`, headers })] })
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/trpc/${path}`, { method: 'POST', body, headers: { ...authorized, ...json, ...headers } })
  return { world, server, client, post }
}

const failure = async (call: Promise<unknown>) =>
  (await call.then(
    () => null,
    (error: unknown) => error,
  )) as TRPCClientError<AnyRouter>
const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const piece = (seq: number) => ({ id: `${streamId}:${seq}`, role: 'assistant', content: `piece ${seq}` })
const talk = { messages: [{ role: 'user', content: 'hello' }] }

test('every unary operation returns its example', async () => {
  const { world, client } = await serve()
  const withToken = {
    user: client({ authorization: `Bearer ${userToken}` }),
    operator: client(asOperator),
    session: client(),
    any: client(),
    none: client(),
  }
  for (const [id, operation] of world.operations) {
    if (operation.kind === 'stream') continue
    const caller = withToken[operation.auth]
    const { input, output } = operation.example
    const answer =
      plans[id as keyof typeof plans].kind === 'mutation'
        ? await caller.mutation(id, input)
        : await caller.query(id, input)
    expect([id, answer]).toEqual([id, operation.output.parse(output)])
  }
})

test('refusals have their tRPC code and the facts of a problem document', async () => {
  const { client } = await serve()
  const anonymous = await failure(client({ 'x-request-id': 'mine-4' }).query('chat.history'))
  expect(anonymous.data).toMatchObject({
    code: 'UNAUTHORIZED',
    httpStatus: 401,
    path: 'chat.history',
    trident: { code: 'UNAUTHENTICATED', request_id: 'mine-4' },
  })
  const wrong = await failure(client().mutation('trading.previewIntent', { text: 7 }))
  expect(wrong.data).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    httpStatus: 422,
    trident: { errors: [{ path: 'text' }] },
  })
  const limited = await failure((await serve({}, true)).client().query('chat.history'))
  expect(limited.data).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    httpStatus: 429,
    trident: { retry_after_seconds: 7 },
  })
})

test('an unexpected failure is hidden, an unimplemented operation says so', async () => {
  const { client, world } = await serve({
    'metrics.realizedPnl': async () => {
      throw new Error('secret of the house')
    },
    'metrics.unrealizedPnl': async () => {
      throw new DomainError('UNIMPLEMENTED', 'Not built yet.')
    },
  })
  const broken = await failure(client().query('metrics.realizedPnl'))
  expect([broken.data.httpStatus, JSON.stringify(broken.shape).includes('secret')]).toEqual([500, false])
  expect(world.unexpected).toHaveLength(1)
  expect((await failure(client().query('metrics.unrealizedPnl'))).data).toMatchObject({
    code: 'NOT_IMPLEMENTED',
    httpStatus: 501,
  })
})

test('headers of the gateway are on the response', async () => {
  const { server } = await serve({}, true)
  const answer = await fetch(`${server.url}/trpc/chat.history`, {
    headers: { ...authorized, 'x-request-id': 'mine-5' },
  })
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-request-id')]).toEqual([
    429,
    '7',
    'mine-5',
  ])
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
})

test.each([
  ['malformed JSON', '{', {}, 400, 'MALFORMED_REQUEST'],
  ['a form', 'text=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['more than 1 MiB', JSON.stringify({ text: 'x'.repeat(1_100_000) }), {}, 413, 'PAYLOAD_TOO_LARGE'],
])('%s as a body is refused', async (_name, body, headers, status, code) => {
  const { post } = await serve()
  const answer = await post('trading.previewIntent', body, headers)
  expect(answer.status).toBe(status)
  expect(JSON.parse(await answer.text())).toMatchObject({ error: { data: { trident: { code } } } })
})

const lines = { 'trpc-accept': 'application/jsonl' }

test.each([
  ['text that is not JSON', 'auth.register', 'password=hunter2secret', {}, 400, /is not JSON/],
  ['a batch of eleven', `${'auth.login,'.repeat(10)}auth.login?batch=1`, '{}', {}, 400, /at most 10 calls/],
  ['a batch of very many', `${'auth.login,'.repeat(800)}auth.login?batch=1`, '{}', {}, 400, /at most 10 calls/],
  ['a streaming mutation without a batch', 'chat.stream', JSON.stringify(talk), lines, 400, /httpBatchStreamLink/],
  ['a batch of both kinds', 'auth.login,chat.history?batch=1', '{}', {}, 400, /not both/],
  ['a batch whose input is a list', 'auth.login,auth.login?batch=1', '[]', {}, 400, /a key for each position/],
  ['an escape that is none', '%25zz', '{}', {}, 400, /escapes/],
  ['parameters of a connection', 'auth.login?connectionParams=secret', '{}', {}, 400, /authorization header/],
  ['an unknown procedure', 'chat.hunter2', '{}', {}, 404, /\/docs lists/],
  ['another content type', 'auth.login', '', { 'content-type': 'text/plain' }, 415, /application\/json/],
])(
  '%s is refused without the words of tRPC, with the request id',
  async (_name, path, body, headers, status, words) => {
    const { post, world } = await serve()
    const answer = await post(path, body, { 'x-request-id': 'mine-6', ...headers })
    const text = await answer.text()
    const [received] = [JSON.parse(text)].flat()
    expect([answer.status, received.error.data.trident.request_id]).toEqual([status, 'mine-6'])
    expect(received.error.message).toMatch(words)
    expect(received.error.message).not.toMatch(/hunter2|secret|procedure on path|exceeds/)
    expect(world.unexpected).toEqual([])
  },
)

test('an invalid Host header is an error of the caller', async () => {
  const { server, world } = await serve()
  const answered = Promise.withResolvers<IncomingMessage>()
  get(`${server.url}/trpc/chat.history?batch=1`, { headers: { host: '[' } }, answered.resolve)
  const answer = await answered.promise
  expect([answer.statusCode, await text(answer)]).toEqual([400, expect.stringContaining('The URL cannot be read')])
  expect(world.unexpected).toEqual([])
})

test('unknown procedures and batches of more than ten are refused', async () => {
  const { server, client } = await serve()
  expect((await failure(client().query('chat.nothing'))).data).toMatchObject({
    httpStatus: 404,
    trident: { code: 'NOT_FOUND' },
  })
  const batch = async (count: number) => {
    const paths = Array.from({ length: count }, () => 'chat.history').join(',')
    return (await fetch(`${server.url}/trpc/${paths}?batch=1`, { headers: authorized })).status
  }
  expect([await batch(10), await batch(11)]).toEqual([200, 400])
})

test('a streaming mutation streams over POST, and runs only for a client that can read it', async () => {
  let runs = 0
  const handler: AnyHandler = async () => {
    runs += 1
    return (async function* () {
      yield piece(1)
      yield piece(2)
    })()
  }
  const { client, post } = await serve({ 'chat.stream': handler })
  const events: unknown[] = []
  const stream = await client(authorized, httpBatchStreamLink).mutation('chat.stream', talk)
  for await (const event of stream as AsyncIterable<unknown>) events.push(event)
  expect(events).toEqual([piece(1), piece(2)])
  expect([(await post('chat.stream', JSON.stringify(talk))).status, runs]).toEqual([415, 1])
})

test('a subscription tracks its events by id, resumes by the last one, and sends a refusal as its only event', async () => {
  const { server } = await serve({
    'chat.resume': async (_ports, input) =>
      (async function* () {
        yield { ...piece(3), content: JSON.stringify(input) }
      })(),
  })
  const url = `${server.url}/trpc/chat.resume?input=${encodeURIComponent(JSON.stringify({ stream_id: streamId }))}`
  const answer = await fetch(url, {
    headers: { ...authorized, accept: 'text/event-stream', 'last-event-id': `${streamId}:2` },
  })
  const text = await answer.text()
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
  expect(text).toContain(`id: ${streamId}:3`)
  expect(text).toContain(`\\"after_id\\":\\"${streamId}:2\\"`)
  const refused = await (await fetch(url, { headers: { accept: 'text/event-stream' } })).text()
  expect(refused).toMatch(/event: serialized-error\ndata: .*"code":"UNAUTHORIZED"/)
})

test('a reader that disconnects aborts the stream', async () => {
  const closed = Promise.withResolvers<void>()
  const { server } = await serve({
    'chat.resume': async (_ports, _input, call) =>
      (async function* () {
        try {
          yield piece(1)
          await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
        } finally {
          closed.resolve()
        }
      })(),
  })
  const leaving = new AbortController()
  const url = `${server.url}/trpc/chat.resume?input=${encodeURIComponent(JSON.stringify({ stream_id: streamId }))}`
  const answer = await fetch(url, { headers: { ...authorized, accept: 'text/event-stream' }, signal: leaving.signal })
  await answer.body!.getReader().read()
  leaving.abort()
  await closed.promise
})
