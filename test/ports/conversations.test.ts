import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { openChatStreams } from '../../src/adapters/storage/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/messages.ts'
import { openSessions } from '../../src/adapters/storage/sessions.ts'
import { storable } from '../../src/adapters/storage/text.ts'
import type { Message, StreamChunk } from '../../src/domain/ports/conversations.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'

const never = new AbortController().signal

async function collect(chunks: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  const all: StreamChunk[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

eachDatabase('messages', (open) => {
  test('any text comes back as it was stored, in order', async () => {
    const database = await open()
    const messages = openMessages(database)
    const userId = await addAccount(database)
    const role = fc.constantFrom<Message['role']>('user', 'assistant')
    const content = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^['"\\?$:;%-]{0,9}$/))
    const property = fc.asyncProperty(fc.array(fc.record({ role, content }), { maxLength: 5 }), async (sent) => {
      const id = await addSession(database, userId)
      await messages.append(id, sent, at)
      expect(await messages.list(id)).toEqual(sent.map((one) => ({ ...one, content: storable(one.content) })))
      await openSessions(database).delete(id)
    })
    await fc.assert(property, { numRuns: 50 })
  })

  test('ten thousand are appended at once and read in order; clearing is for one session', async () => {
    const database = await open()
    const messages = openMessages(database)
    const userId = await addAccount(database)
    const [id, other] = [await addSession(database, userId), await addSession(database, userId)]
    const many = Array.from({ length: 10_000 }, (_, index) => ({ role: 'user', content: `m${index}` }) as const)
    await messages.append(other, many.slice(0, 3), at)
    await messages.append(id, many, at)
    expect(await messages.list(id)).toEqual(many)
    await messages.clear(id)
    expect(await messages.list(id)).toEqual([])
    expect(await messages.list(other)).toHaveLength(3)
  })

  test('simultaneous appends do not mix', async () => {
    const stores = [openMessages(await open()), openMessages(await open())]
    const database = await open()
    const id = await addSession(database, await addAccount(database))
    const batch = (name: number) => [0, 1, 2].map((part) => ({ role: 'user', content: `${name}.${part}` }) as const)
    await Promise.all([0, 1, 2, 3, 4, 5].map((name) => stores[name % 2]!.append(id, batch(name), at)))
    const texts = (await stores[0]!.list(id)).map((message) => message.content)
    const order = texts.filter((text) => text.endsWith('.0')).map((text) => Number.parseInt(text, 10))
    expect(order.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(texts).toEqual(order.flatMap((name) => batch(name).map((message) => message.content)))
  })

  test('go with their session, and a deleted session takes no more', async () => {
    const database = await open()
    const messages = openMessages(database)
    const id = await addSession(database, await addAccount(database))
    await messages.append(id, [{ role: 'user', content: 'hello' }], at)
    await openSessions(database).delete(id)
    expect(await messages.list(id)).toEqual([])
    await expect(messages.append(id, [{ role: 'user', content: 'late' }], at)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

eachDatabase('chat streams', (open) => {
  const streamId = '5f0c1f7e-7c1a-4c7c-9a56-0f6f2b1d8a11'

  async function openStream() {
    const database = await open()
    const sessionId = await addSession(database, await addAccount(database))
    const streams = openChatStreams(database, 20)
    await streams.create(streamId, sessionId, at)
    return { database, sessionId, streams }
  }

  test('a reader gets what was written after its cursor, then what follows, here and in another process', async () => {
    const { streams, sessionId } = await openStream()
    const others = openChatStreams(await open(), 20)
    await streams.append(streamId, { seq: 1, content: 'one' })
    const readers = [
      streams.follow(streamId, 0, never),
      streams.follow(streamId, 1, never),
      others.follow(streamId, 0, never),
    ]
    const read = Promise.all(readers.map(collect))
    for (const seq of [2, 3, 4]) await streams.append(streamId, { seq, content: `piece ${seq}` })
    expect(await streams.find(streamId)).toEqual({ sessionId, state: 'running', error: null })
    await streams.finish(streamId, 'done')
    const seen = (await read).map((chunks) => chunks.map((chunk) => chunk.seq))
    expect(seen).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
      [1, 2, 3, 4],
    ])
    expect(await streams.find(streamId)).toMatchObject({ state: 'done' })
    expect(await collect(others.follow(streamId, 3, never))).toEqual([{ seq: 4, content: 'piece 4' }])
  })

  test('a long stream is read whole', async () => {
    const { streams } = await openStream()
    const pieces = Array.from({ length: 450 }, (_, index) => ({ seq: index + 1, content: `${index}` }))
    for (const piece of pieces) await streams.append(streamId, piece)
    await streams.finish(streamId, 'done')
    expect(await collect(streams.follow(streamId, 0, never))).toEqual(pieces)
  })

  test('an aborted reader ends, and so does the reader of a deleted session', async () => {
    const { streams, database, sessionId } = await openStream()
    const leave = new AbortController()
    const [aborted, orphaned] = [
      collect(streams.follow(streamId, 0, leave.signal)),
      collect(streams.follow(streamId, 0, never)),
    ]
    leave.abort()
    expect(await aborted).toEqual([])
    await openSessions(database).delete(sessionId)
    expect(await orphaned).toEqual([])
    expect(await streams.find(streamId)).toBeNull()
  })

  test('a stop reaches the writer in whichever process it is, and only while it runs', async () => {
    const { streams } = await openStream()
    const others = openChatStreams(await open(), 20)
    const [near, far] = [vi.fn(), vi.fn()]
    streams.onStop(streamId, near)
    others.onStop(streamId, far)
    expect(await streams.requestStop(streamId)).toBe(true)
    expect(near).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(far).toHaveBeenCalledOnce())
    await streams.finish(streamId, 'stopped')
    expect(await streams.requestStop(streamId)).toBe(false)
    expect(await streams.requestStop('no-such-stream')).toBe(false)
  })

  test('a failure keeps its words, and a finished stream cannot be finished again', async () => {
    const { streams, sessionId } = await openStream()
    const error = { code: 'UNAVAILABLE', message: 'The assistant is away.' }
    await streams.finish(streamId, 'failed', error)
    await streams.finish(streamId, 'done')
    expect(await streams.find(streamId)).toEqual({ sessionId, state: 'failed', error })
  })

  test('what a dead process left running is failed', async () => {
    const { streams } = await openStream()
    const error = { code: 'UNAVAILABLE', message: 'Interrupted; ask again.' }
    expect(await streams.failAbandoned(at, error)).toBe(0)
    expect(await streams.failAbandoned(new Date(at.getTime() + 1), error)).toBe(1)
    expect(await streams.find(streamId)).toMatchObject({ state: 'failed', error })
  })

  test('one that began before the moment is forgotten with its pieces', async () => {
    const { streams } = await openStream()
    await streams.append(streamId, { seq: 1, content: 'a' })
    await streams.finish(streamId, 'done')
    expect(await streams.purge(at, 9)).toBe(0)
    expect(await streams.purge(new Date(at.getTime() + 1), 9)).toBe(1)
    expect(await streams.find(streamId)).toBeNull()
    expect(await collect(streams.follow(streamId, 0, new AbortController().signal))).toEqual([])
  })
})
