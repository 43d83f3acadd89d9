import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { authorized, exampleWorld, json, serveWorld, sessionToken } from '../../../test/protocols/world.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AnyHandler } from '../../domain/core/handler.ts'
import type { HttpServer } from '../http.ts'
import { sseTimes } from './sse.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const piece = (seq: number, content = `piece ${seq}`) => ({ id: `${streamId}:${seq}`, role: 'assistant', content })
const handlerOf =
  (events: (signal: AbortSignal, input: unknown) => AsyncIterable<unknown>): AnyHandler =>
  async (_ports, input, call) =>
    events(call.signal, input)

async function serve(handlers: Record<string, AnyHandler>, times = sseTimes) {
  const server = await serveWorld(exampleWorld(handlers), {}, times)
  servers.push(server)
  return server
}

const chat = (server: HttpServer, signal?: AbortSignal) =>
  fetch(`${server.url}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { ...authorized, ...json },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }),
    ...(signal === undefined ? {} : { signal }),
  })

test('the answer of a chat is lines of data, which end with [DONE]', async () => {
  const server = await serve({
    'chat.stream': async (_ports, _input, call) => {
      call.nameStream(streamId)
      return (async function* () {
        yield piece(1)
        yield piece(2)
      })()
    },
  })
  const answer = await chat(server)
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-stream-id')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    streamId,
  ])
  expect(answer.headers.get('x-request-id')).not.toBeNull()
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
  const frame = (seq: number) => `data: {"role":"assistant","content":"piece ${seq}","id":"${streamId}:${seq}"}\n\n`
  expect(await answer.text()).toBe(`${frame(1)}${frame(2)}data: [DONE]\n\n`)
})

test('a failure before the first event is a refusal, a later one the last event without its cause', async () => {
  const failing = (after: number): AnyHandler =>
    handlerOf(async function* () {
      for (let seq = 1; seq <= after; seq += 1) yield piece(seq)
      throw new DomainError('UNAVAILABLE', 'The assistant does not answer; try again.', {}, new Error('inner secret'))
    })
  const refused = await chat(await serve({ 'chat.stream': failing(0) }))
  expect(refused.headers.get('x-ratelimit-limit')).not.toBeNull()
  expect(refused.headers.get('retry-after')).toBe('1')
  expect([refused.status, JSON.parse(await refused.text()).code]).toEqual([503, 'UNAVAILABLE'])
  const broken = await (await chat(await serve({ 'chat.stream': failing(1) }))).text()
  expect(broken).toMatch(/data: \{"role":"assistant","content":"","error":\{.*"code":"UNAVAILABLE".*\}\}\n\n$/)
  expect(broken).not.toContain('event:')
  expect(broken).not.toMatch(/secret|DONE/)
})

const resume = (server: HttpServer, headers = {}) =>
  fetch(`${server.url}/api/v1/chatbot/chat/stream/${streamId}`, { headers: { ...authorized, ...headers } })

test.each([
  ['chat.stream', chat, 'data: {"role":"assistant","content":""}\n\n'],
  ['chat.resume', resume, ': ping\n'],
] as const)(
  'a slow first event of %s does not delay the headers, and pings are sent meanwhile',
  async (id, ask, ping) => {
    const pinged = Promise.withResolvers<void>()
    const server = await serve(
      {
        [id]: handlerOf(async function* () {
          await pinged.promise
          yield piece(1)
        }),
      },
      { heartbeatMs: 5, slowReaderMs: 1_000, firstEventMs: 5 },
    )
    const answer = await ask(server)
    expect(answer.headers.get('x-stream-id')).toBeNull()
    let text = ''
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString()
      if (text.startsWith(ping.repeat(2))) pinged.resolve()
    }
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  },
)

test('Last-Event-ID resumes a stream', async () => {
  const server = await serve({
    'chat.resume': handlerOf(async function* (_signal, input) {
      yield piece(3, JSON.stringify(input))
    }),
  })
  const answer = await fetch(`${server.url}/api/v1/chatbot/chat/stream/${streamId}?after_id=${streamId}:1`, {
    headers: { ...authorized, 'last-event-id': `${streamId}:2` },
  })
  expect(await answer.text()).toContain(`\\"after_id\\":\\"${streamId}:2\\"`)
})

test('a reader that disconnects aborts the stream and closes its generator', async () => {
  const closed = Promise.withResolvers<void>()
  const server = await serve({
    'chat.resume': handlerOf(async function* (signal) {
      try {
        yield piece(1)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      } finally {
        closed.resolve()
      }
    }),
  })
  const leaving = new AbortController()
  const answer = await fetch(`${server.url}/api/v1/chatbot/chat/stream/${streamId}`, {
    headers: authorized,
    signal: leaving.signal,
  })
  await answer.body!.getReader().read()
  leaving.abort()
  await closed.promise
})

test('a reader that does not read stops the producer, and receives the reason once it reads', async () => {
  let made = 0
  const closed = Promise.withResolvers<void>()
  const server = await serve(
    {
      'chat.resume': handlerOf(async function* () {
        try {
          for (;;) yield piece(++made, 'x'.repeat(100_000))
        } finally {
          closed.resolve()
        }
      }),
    },
    { ...sseTimes, slowReaderMs: 1_000 },
  )
  const socket = connect(server.port, '127.0.0.1')
  socket.write(
    `GET /api/v1/chatbot/chat/stream/${streamId} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${sessionToken}\r\nconnection: close\r\n\r\n`,
  )
  await closed.promise
  expect(made).toBeLessThan(500)
  expect(await text(socket)).toMatch(/event: error\ndata: .*too slow.*DEADLINE_EXCEEDED/)
})

test('closing the server ends open streams, and their readers are advised to reconnect', async () => {
  const server = await serve({
    'chat.resume': handlerOf(async function* () {
      yield piece(1)
      await new Promise(() => undefined)
    }),
  })
  const answer = await fetch(`${server.url}/api/v1/chatbot/chat/stream/${streamId}`, { headers: authorized })
  const reader = answer.body!.getReader()
  await reader.read()
  const closing = server.close()
  expect(Buffer.from((await reader.read()).value!).toString()).toContain('"code":"UNAVAILABLE"')
  await closing
})
