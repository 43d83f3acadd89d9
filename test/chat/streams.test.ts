import { afterEach, expect, test, vi } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { type Event, eventsOf, output, type Refusal, refusalOf } from '../clients/client.ts'
import { sseEvents } from '../clients/sse.ts'
import { unreadGrpc, unreadSse } from '../drivers/slow-readers.ts'
import { gate, keyFolder, openChatWorld, type Script } from './world.ts'

const protocols = ['rest', 'trpc', 'grpc'] as const
const messages = [{ role: 'user', content: 'hello' }]
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function open(script: Script) {
  const keys = keyFolder()
  const database = await openDatabase({ url: null, dataDir: keys.path })
  const world = await openChatWorld(database, script, keys)
  opened.push(database, world)
  return { ...world, ...(await world.session()) }
}

/** The events of a stream, and how it ended. */
async function endOf(events: AsyncIterable<Event>): Promise<{ received: Event[]; refusal: Refusal | null }> {
  const received: Event[] = []
  try {
    for await (const event of events) received.push(event)
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return { received, refusal: error.refusal as Refusal }
    throw error
  }
  return { received, refusal: null }
}

test('a failure during an answer is an event with its code on every protocol, also on resume, without internal details', async () => {
  let failure: unknown
  const world = await open(async function* () {
    yield 'Half an ans'
    throw failure
  })
  const { clients, token } = world
  const cases = [
    [
      new DomainError('DEADLINE_EXCEEDED', 'The model took too long. Send the message again.'),
      'DEADLINE_EXCEEDED',
      /took too long/,
    ],
    [new DomainError('UNAVAILABLE', 'The model is away.'), 'UNAVAILABLE', /is away/],
    [new DomainError('NOT_INCLUDED_YET', 'The trade is on its way.'), 'UNAVAILABLE', /on its way/],
    [new TypeError('secret of the adapter'), 'INTERNAL', /failed to answer\. Ask again/],
  ] as const
  for (const [thrown, code, text] of cases) {
    failure = thrown
    const refused = { code, message: expect.stringMatching(text) }
    for (const protocol of protocols) {
      const client = clients[protocol]
      const plain = await endOf(client.stream('chat.stream', { messages }, token))
      expect(plain).toMatchObject({ received: [{ content: 'Half an ans' }], refusal: refused })
      expect(Object.keys(plain.received[0]).sort()).toEqual(['content', 'id', 'role'])
      const typed = await endOf(client.stream('chat.stream', { messages, events: true }, token))
      expect(typed.received).toMatchObject([{ event: 'text' }, { event: 'error', content: '', error: refused }])
      expect(typed.refusal).toMatchObject(refused)
      const [stream_id] = typed.received[0].id.split(':')
      const again = await endOf(client.stream('chat.resume', { stream_id, after_id: typed.received[0].id }, token))
      expect(again).toMatchObject({ received: [], refusal: refused })
      // A reader that has received the error receives nothing more, so that a client with automatic reconnects stops.
      expect(await endOf(client.stream('chat.resume', { stream_id, after_id: typed.received[1].id }, token))).toEqual({
        received: [],
        refusal: null,
      })
    }
  }
  expect(JSON.stringify(await output(clients.rest.call('chat.history', {}, token)))).not.toMatch(/secret/)
  expect(world.unexpected.filter((one) => one === failure)).toHaveLength(2 * protocols.length)
  expect((await output(clients.rest.call('chat.history', { limit: 1 }, token))).messages).toEqual([
    { role: 'assistant', content: 'Half an ans', incomplete: 'failed' },
  ])
})

test('a failure after its reader has disconnected is reported to the operator', async () => {
  const left = gate()
  const failure = new TypeError('a bug')
  const { clients, token, unexpected } = await open(async function* () {
    yield 'Half'
    await left.opened
    throw failure
  })
  for await (const _ of clients.rest.stream('chat.stream', { messages }, token)) break
  left.open()
  await vi.waitFor(() => expect(unexpected).toContain(failure), 20_000)
})

test('an answer whose end cannot be stored at first is completed on a later try, and blocks no other', async () => {
  const keys = keyFolder()
  await using database = await openDatabase({ url: null, dataDir: keys.path })
  let failures = 0
  const troubled: Database = {
    ...database,
    async transaction(work) {
      if (failures === 0) return await database.transaction(work)
      failures -= 1
      throw new Error('The store is away.')
    },
  }
  await using world = await openChatWorld(
    troubled,
    async function* () {
      yield 'Whole.'
      failures = 2
    },
    keys,
  )
  const { token } = await world.session()
  const sent = async () => (await output(world.clients.rest.call('chat.send', { messages }, token))).messages
  expect(await sent()).toEqual([{ role: 'assistant', content: 'Whole.' }])
  expect(await sent()).toEqual([{ role: 'assistant', content: 'Whole.' }])
})

test('an idle stream sends heartbeats', async () => {
  const held = gate()
  const { clients, token, urls } = await open(async function* () {
    await held.opened
    yield 'At last.'
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ messages })
  const rest = await fetch(`${urls.http}/api/v1/chatbot/chat/stream`, { method: 'POST', headers, body })
  const stream_id = rest.headers.get('x-stream-id') ?? ''
  const input = encodeURIComponent(JSON.stringify({ stream_id }))
  const subscription = await fetch(`${urls.http}/trpc/chat.resume?input=${input}`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  const mutation = await fetch(`${urls.http}/trpc/chat.stream?batch=1`, {
    method: 'POST',
    headers: { ...headers, 'trpc-accept': 'application/jsonl' },
    body: JSON.stringify({ 0: { messages, after_id: `${stream_id}:0` } }),
  })
  const alive: [Response, RegExp][] = [
    [rest, /^data: {"role":"assistant","content":""}\n\n/],
    [subscription, /event: ping\n/],
    [mutation, /\n {2,}/],
  ]
  const readers = alive.map(async ([response, sign]) => {
    let seen = ''
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      seen += text
      if (sign.test(seen)) break
    }
    expect(seen).toMatch(sign)
  })
  const overGrpc = eventsOf(clients.grpc.stream('chat.resume', { stream_id }, token))
  await Promise.all(readers)
  held.open()
  expect(await overGrpc).toMatchObject([{ content: 'At last.' }])
})

test('a request repeated with its last event id continues its answer, and does not run the assistant again', async () => {
  const held = gate()
  let runs = 0
  const { clients, token, urls } = await open(async function* () {
    runs += 1
    yield 'one '
    await held.opened
    yield 'two '
    yield 'three'
  })
  for (const protocol of protocols) {
    const leaving = new AbortController()
    const events = clients[protocol].stream('chat.stream', { messages }, token, leaving.signal)
    const { value: first } = await events.next()
    leaving.abort()
    await events.return().catch(() => undefined)
    held.open()
    const after = { messages, after_id: first.id }
    const rest = await eventsOf(clients[protocol].stream('chat.stream', after, token))
    expect(rest.map(({ content }) => content)).toEqual(['two ', 'three'])
    const response = await fetch(`${urls.http}/api/v1/chatbot/chat/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'last-event-id': rest[0].id },
      body: JSON.stringify({ messages }),
    })
    const again = await Array.fromAsync(sseEvents(response.body!))
    const { id } = rest[1]
    expect(again).toEqual([{ data: JSON.stringify({ role: 'assistant', content: 'three', id }) }, { data: '[DONE]' }])
  }
  expect(runs).toBe(protocols.length)
  for (const after_id of ['nonsense', `${crypto.randomUUID()}:x`, `${crypto.randomUUID()}:9999999999`])
    expect(await refusalOf(clients.trpc.stream('chat.stream', { messages, after_id }, token))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'after_id' }],
    })
  const stranger = { messages, after_id: `${crypto.randomUUID()}:1` }
  expect(await refusalOf(clients.grpc.stream('chat.stream', stranger, token))).toMatchObject({ code: 'NOT_FOUND' })
})

test('a reader that does not read delays no answer, and is disconnected', async () => {
  const pieces = 400
  const { clients, token, urls } = await open(async function* () {
    for (let number = 0; number < pieces; number += 1) yield `${number}`.padEnd(50_000, '.')
  })
  const [first] = await eventsOf(clients.rest.stream('chat.stream', { messages }, token))
  const [stream_id] = first.id.split(':')
  const [stored] = (await output(clients.rest.call('chat.history', { limit: 1 }, token))).messages
  expect(stored.content).toHaveLength(pieces * 50_000)
  await using stack = new AsyncDisposableStack()
  const headers = { authorization: `Bearer ${token}` }
  const { path, encodeRequest } = grpcMethods['chat.resume']
  const request = { path, message: encodeRequest({ stream_id }), headers }
  const input = encodeURIComponent(JSON.stringify({ stream_id }))
  const unread = [
    await unreadGrpc(urls.grpc, request, stack),
    await unreadSse(`${urls.http}/api/v1/chatbot/chat/stream/${stream_id}`, headers, stack),
    await unreadSse(`${urls.http}/trpc/chat.resume?input=${input}`, headers, stack),
  ]
  // Nothing is visible until they read; the servers' timeout for slow readers is a second here.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  for (const reader of unread) expect(await reader.readAll()).toMatch(/too slow|aborted/)
})

test('the history is read whole or by pages, newest page first, the same on every protocol', async () => {
  const { clients, token } = await open(async function* ({ text }) {
    yield `re: ${text}`
  })
  for (const number of [1, 2, 3]) {
    const said = [{ role: 'user', content: `message ${number}` }]
    await output(clients.grpc.call('chat.send', { messages: said }, token))
  }
  const whole = await output(clients.rest.call('chat.history', {}, token))
  expect(whole.messages).toHaveLength(6)
  expect(Object.keys(whole)).toEqual(['messages'])
  for (const protocol of protocols) {
    const page = async (input: object) => await output(clients[protocol].call('chat.history', input, token))
    const newest = await page({ limit: 4 })
    const oldest = await page({ limit: 4, cursor: newest.next_cursor })
    expect([...oldest.messages, ...newest.messages]).toEqual(whole.messages)
    expect(oldest.next_cursor).toBeUndefined()
    expect(await clients[protocol].call('chat.history', { cursor: 'a page' }, token)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'cursor' }],
    })
  }
})

test('an answer is written from the newest messages of a long session, not from all of them', async () => {
  const histories: number[] = []
  const { clients, token } = await open(async function* ({ history, text }) {
    histories.push(history.length)
    yield `${history.at(-1)?.content} ${text}`
  })
  for (let sent = 0; sent < 3; sent += 1) {
    const many = Array.from({ length: 100 }, (_, index) => ({ role: 'user', content: `${sent}.${index}` }))
    await output(clients.rest.call('chat.send', { messages: many }, token))
  }
  expect(histories).toEqual([99, 199, 199])
})
