import { expect, test, vi } from 'vitest'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import type { AssistantRequest } from '../../src/domain/ports/assistant.ts'
import { type Client, type Event, eventsOf, output, refusalOf } from '../clients/client.ts'
import { eachDatabase } from '../ports/databases.ts'
import { type ChatWorld, gate, keyFolder, openChatWorld } from './world.ts'

/** The timeout for something to happen on a busy machine. */
const timeoutMs = 20_000
const protocols = ['rest', 'trpc', 'grpc'] as const
const say = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more })

/**
 * Two processes on one database, where the database allows it, and an assistant that repeats the question once a gate
 * opens.
 */
async function openPair(open: () => Promise<Database>) {
  const held = gate()
  const received: string[] = []
  async function* script({ text, signal }: AssistantRequest) {
    received.push(text)
    yield `You said ${text}`
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    if (text.startsWith('hold')) await Promise.race([held.opened, stopped])
    yield ', and that is all.'
  }
  await using opened = new AsyncDisposableStack()
  const keys = opened.use(keyFolder())
  const shared = { path: keys.path, [Symbol.dispose]: () => undefined }
  const near = opened.use(await openChatWorld(await open(), script, shared))
  const far = opened.use(await openChatWorld(await open(), script, shared))
  const resources = opened.move()
  return { near, far, held, received, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Starts an answer and waits for its first piece; `rest` are the later pieces. */
async function begin(client: Client, token: string, input: object, signal?: AbortSignal) {
  const events = client.stream('chat.stream', input, token, signal)
  const first: Event = (await events.next()).value
  return { streamId: first.id.split(':')[0] as string, first, rest: eventsOf(events) }
}

const historyOf = async (world: ChatWorld, token: string) =>
  (await output(world.clients.rest.call('chat.history', {}, token))).messages

eachDatabase('a session', (open) => {
  test('refuses another message while an answer is written, on every protocol and in every process', async () => {
    await using pair = await openPair(open)
    const { token } = await pair.near.session()
    const running = await begin(pair.near.clients.rest, token, say('hold'))
    for (const world of [pair.near, pair.far]) {
      for (const protocol of protocols) {
        const client = world.clients[protocol]
        const refusals = [
          await client.call('chat.send', say('too early'), token),
          await refusalOf(client.stream('chat.stream', say('too early'), token)),
        ]
        for (const refusal of refusals)
          expect(refusal).toMatchObject({
            ok: false,
            code: 'ALREADY_EXISTS',
            message: expect.stringMatching(/(chat\.resume|chat\/stream\/).*(chat\.stop|\/stop).*when_busy/),
            metadata: { stream_id: running.streamId, waiting: '0' },
          })
      }
    }
    pair.held.open()
    expect(await running.rest).toHaveLength(1)
    expect(await output(pair.far.clients.grpc.call('chat.send', say('now'), token))).toMatchObject({
      messages: [{ content: 'You said now, and that is all.' }],
    })
    expect(pair.received).toEqual(['hold', 'now'])
    const { token: other } = await pair.near.session()
    expect((await pair.near.clients.trpc.call('chat.send', say('elsewhere'), other)).ok).toBe(true)
  })

  test('answers queued messages in their order, and refuses a message where the queue is full', async () => {
    await using pair = await openPair(open)
    const { token } = await pair.near.session()
    const running = await begin(pair.near.clients.trpc, token, say('hold'))
    const answers: Promise<Event[]>[] = []
    for (const number of [1, 2, 3, 4, 5]) {
      const client = (number % 2 === 0 ? pair.near : pair.far).clients[protocols[number % 3]!]
      answers.push(eventsOf(client.stream('chat.stream', say(`question ${number}`, { when_busy: 'queue' }), token)))
      const waiting = String(number)
      await vi.waitFor(async () => {
        const refused = await pair.near.clients.rest.call('chat.send', say('now'), token)
        expect(refused).toMatchObject({ code: 'ALREADY_EXISTS', metadata: { waiting } })
      }, timeoutMs)
    }
    const sixth = await pair.far.clients.grpc.call('chat.send', say('six', { when_busy: 'queue' }), token)
    expect(sixth).toMatchObject({ code: 'ALREADY_EXISTS', metadata: { stream_id: running.streamId, waiting: '5' } })
    pair.held.open()
    await Promise.all([running.rest, ...answers])
    expect(pair.received).toEqual(['hold', ...[1, 2, 3, 4, 5].map((number) => `question ${number}`)])
    const contents = (await historyOf(pair.far, token)).map(({ content }: { content: string }) => content)
    expect(contents).toEqual(pair.received.flatMap((text) => [text, `You said ${text}, and that is all.`]))
  })

  test.each(['tokens', 'account'])(
    'stops what is written and queued once its %s are gone, and leaves nobody waiting',
    async (what) => {
      const database = await open()
      await using pair = await openPair(async () => database)
      const { token, userId } = await pair.near.session()
      const running = await begin(pair.near.clients.rest, token, say('hold'))
      const queued = protocols.map((protocol) =>
        pair.near.clients[protocol].call('chat.send', say('later', { when_busy: 'queue' }), token),
      )
      await vi.waitFor(async () => {
        const refused = await pair.near.clients.rest.call('chat.send', say('now'), token)
        expect(refused).toMatchObject({ metadata: { waiting: '3' } })
      }, timeoutMs)
      const accounts = openAccounts(database)
      if (what === 'tokens') await accounts.endTokens(userId)
      else expect(await accounts.delete(userId, 'hash', new Date())).toBe('deleted')
      await expect(running.rest).rejects.toMatchObject({ refusal: { code: 'UNAUTHENTICATED' } })
      await Promise.all(queued)
      expect(pair.received).toEqual(['hold'])
    },
  )

  test('is stopped from any protocol and process, and stores the streamed text, marked as stopped', async () => {
    await using pair = await openPair(open)
    for (const protocol of protocols) {
      const { token } = await pair.near.session()
      const running = await begin(pair.near.clients[protocol], token, say('hold'))
      const stream_id = running.streamId.toUpperCase()
      await output(pair.far.clients[protocol].call('chat.stop', { stream_id }, token))
      expect(await running.rest).toEqual([])
      expect(await historyOf(pair.far, token)).toEqual([
        { role: 'user', content: 'hold' },
        { role: 'assistant', content: 'You said hold', incomplete: 'stopped' },
      ])
      expect((await pair.far.clients[protocol].call('chat.send', say('go on'), token)).ok).toBe(true)
    }
  })

  test('a queued message can be stopped, and is not stored', async () => {
    await using pair = await openPair(open)
    const { token } = await pair.near.session()
    const running = await begin(pair.near.clients.rest, token, say('hold'))
    const response = await fetch(`${pair.near.urls.http}/api/v1/chatbot/chat/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(say('later', { when_busy: 'queue' })),
    })
    const queued = response.headers.get('x-stream-id') ?? ''
    await output(pair.far.clients.grpc.call('chat.stop', { stream_id: queued }, token))
    expect(await response.text()).toMatch(/^(data: {"role":"assistant","content":""}\n\n)*data: \[DONE\]\n\n$/)
    pair.held.open()
    await running.rest
    expect(pair.received).toEqual(['hold'])
    expect(await historyOf(pair.near, token)).toHaveLength(2)
  })

  test('finishes the answer of a caller that disconnects, or stops it where the caller requested that', async () => {
    await using pair = await openPair(open)
    for (const protocol of protocols) {
      const { token } = await pair.near.session()
      const leaving = new AbortController()
      const stopped = await begin(
        pair.near.clients[protocol],
        token,
        say('hold', { on_disconnect: 'stop' }),
        leaving.signal,
      )
      leaving.abort()
      await stopped.rest.catch(() => undefined)
      await vi.waitFor(
        async () =>
          expect((await historyOf(pair.near, token)).at(-1)).toMatchObject({
            content: 'You said hold',
            incomplete: 'stopped',
          }),
        timeoutMs,
      )
    }
    const { token } = await pair.near.session()
    const leaving = new AbortController()
    const finished = await begin(pair.near.clients.rest, token, say('hold'), leaving.signal)
    leaving.abort()
    await finished.rest.catch(() => undefined)
    pair.held.open()
    const rest = await eventsOf(
      pair.far.clients.grpc.stream('chat.resume', { stream_id: finished.streamId, after_id: finished.first.id }, token),
    )
    expect(rest).toMatchObject([{ content: ', and that is all.' }])
    expect((await historyOf(pair.far, token)).at(-1)).toEqual({
      role: 'assistant',
      content: 'You said hold, and that is all.',
    })
  })

  test('that is cleared while an answer is written stays empty', async () => {
    await using pair = await openPair(open)
    for (const protocol of protocols) {
      const { token } = await pair.near.session()
      const running = await begin(pair.near.clients[protocol], token, say('hold'))
      const gone = running.rest.catch((error: unknown) => error)
      await output(pair.far.clients[protocol].call('chat.clear', {}, token))
      expect(await gone).toMatchObject({
        refusal: { code: 'NOT_FOUND', message: expect.stringMatching(/no longer exists/) },
      })
      expect((await pair.near.clients.rest.call('chat.send', say('anew'), token)).ok).toBe(true)
      expect(await historyOf(pair.near, token)).toMatchObject([
        { content: 'anew' },
        { content: 'You said anew, and that is all.' },
      ])
    }
  })
})
