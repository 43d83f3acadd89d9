import { expect, test, vi } from 'vitest'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import type { Message, StreamChunk } from '../../src/domain/ports/conversations.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'

const never = new AbortController().signal

async function collect(chunks: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  const all: StreamChunk[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

const user = (content: string): Message => ({ role: 'user', content })

eachDatabase('chat streams', (open) => {
  const streamId = '5f0c1f7e-7c1a-4c7c-9a56-0f6f2b1d8a11'
  const text = (seq: number, content: string): StreamChunk => ({ seq, content, facts: null })
  const answerOf = (sessionId: string, id = streamId) => ({ id, sessionId, messages: [user('hello')], at })

  async function openStream() {
    const database = await open()
    const sessionId = await addSession(database, await addAccount(database))
    const streams = openChatStreams(database, 20)
    expect(await streams.open(answerOf(sessionId), 0)).toBe('running')
    return { database, sessionId, streams }
  }

  test('a reader gets what was written after its cursor, then what follows, here and in another process', async () => {
    const { streams, sessionId } = await openStream()
    const others = openChatStreams(await open(), 20)
    await streams.append(streamId, text(1, 'one'))
    const readers = [
      streams.follow(streamId, 0, never),
      streams.follow(streamId, 1, never),
      others.follow(streamId, 0, never),
    ]
    const read = Promise.all(readers.map(collect))
    for (const seq of [2, 3, 4]) await streams.append(streamId, text(seq, `piece ${seq}`))
    expect(await streams.find(streamId)).toEqual({ sessionId, state: 'running', error: null, lastSeq: 4 })
    await streams.finish(streamId, { state: 'done', at })
    const seen = (await read).map((chunks) => chunks.map((chunk) => chunk.seq))
    expect(seen).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
      [1, 2, 3, 4],
    ])
    expect(await streams.find(streamId)).toMatchObject({ state: 'done' })
    expect(await collect(others.follow(streamId, 3, never))).toEqual([text(4, 'piece 4')])
  })

  test('a long stream is read whole', async () => {
    const { streams } = await openStream()
    const pieces = Array.from({ length: 450 }, (_, index) => text(index + 1, `${index}`))
    for (const piece of pieces) await streams.append(streamId, piece)
    await streams.finish(streamId, { state: 'done', at })
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
    await vi.waitFor(() => expect(far).toHaveBeenCalledOnce(), 20_000)
    await streams.finish(streamId, { state: 'stopped', at })
    expect(await streams.requestStop(streamId)).toBe(false)
    expect(await streams.requestStop('no-such-stream')).toBe(false)
  })

  test('a failure keeps its message, and an ended stream cannot be ended again', async () => {
    const { streams, sessionId } = await openStream()
    const error = { code: 'UNAVAILABLE', message: 'The assistant is away.' } as const
    await streams.finish(streamId, { state: 'failed', error, at })
    await streams.finish(streamId, { state: 'done', at })
    expect(await streams.find(streamId)).toEqual({ sessionId, state: 'failed', error, lastSeq: 0 })
  })

  test('events keep their fields other than text, and the history stores the text of all', async () => {
    const { streams, sessionId, database } = await openStream()
    const facts = { event: 'tool_started', call_id: 'call_1', tool: 'trading_quote' } as const
    const chunks = [text(1, 'Quo'), { seq: 2, content: '', facts }, text(3, 'ting.')]
    for (const chunk of chunks) expect(await streams.append(streamId, chunk)).toBe(true)
    await streams.finish(streamId, { state: 'stopped', at })
    expect(await streams.append(streamId, text(4, 'late'))).toBe(false)
    expect(await collect(streams.follow(streamId, 0, never))).toEqual(chunks)
    const answer = { role: 'assistant', content: 'Quoting.', incomplete: 'stopped' }
    expect(await openMessages(database).list(sessionId)).toEqual([user('hello'), answer])
  })

  test('a session has one answer at a time, and the others in line in their order, in whichever process', async () => {
    const { streams, sessionId, database } = await openStream()
    const others = openChatStreams(await open(), 20)
    expect(await others.open(answerOf(sessionId, crypto.randomUUID()), 0)).toEqual({ streamId, waiting: 0 })
    const line = [1, 2, 3, 4].map((number) => ({
      store: number % 2 === 0 ? streams : others,
      answer: { ...answerOf(sessionId, crypto.randomUUID()), messages: [user(`${number}a`), user(`${number}b`)] },
    }))
    for (const { store, answer } of line) expect(await store.open(answer, 4)).toBe('queued')
    expect(await streams.open(answerOf(sessionId, crypto.randomUUID()), 4)).toEqual({ streamId, waiting: 4 })
    const [, stopped] = line
    const stop = new AbortController()
    stop.abort()
    const written = line.map(async ({ store, answer }) => {
      const begun = await store.turn(answer, answer === stopped?.answer ? stop.signal : never)
      if (begun) await store.append(answer.id, text(1, `to ${answer.messages[0]?.content}`))
      await store.finish(answer.id, { state: begun ? 'done' : 'stopped', at })
    })
    await streams.finish(streamId, { state: 'done', at })
    await Promise.all(written)
    const contents = (await openMessages(database).list(sessionId)).map(({ content }) => content)
    expect(contents).toEqual(['hello', '1a', '1b', 'to 1a', '3a', '3b', 'to 3a', '4a', '4b', 'to 4a'])
  })

  test('a queued answer that was stopped never starts, whichever process noticed the stop', async () => {
    const { streams, sessionId, database } = await openStream()
    const others = openChatStreams(await open(), 20)
    const queued = answerOf(sessionId, crypto.randomUUID())
    expect(await streams.open(queued, 1)).toBe('queued')
    expect(await others.requestStop(queued.id)).toBe(true)
    await streams.finish(streamId, { state: 'done', at })
    expect(await streams.turn(queued, never)).toBe(false)
    expect(await openMessages(database).list(sessionId)).toEqual([user('hello')])
  })

  test('a cleared answer stores nothing more, notifies its writer and readers, and frees the queue', async () => {
    const { streams, sessionId } = await openStream()
    const far = await open()
    const writing = vi.fn()
    streams.onStop(streamId, writing)
    await streams.append(streamId, text(1, 'a'))
    const read = collect(streams.follow(streamId, 0, never))
    const queued = answerOf(sessionId, crypto.randomUUID())
    await streams.open(queued, 1)
    const turn = streams.turn(queued, never)
    await openMessages(far).clear(sessionId)
    await vi.waitFor(() => expect(writing).toHaveBeenCalledOnce(), 20_000)
    expect(await read).toEqual([text(1, 'a')])
    expect(await turn).toBe(false)
    expect(await streams.append(streamId, text(2, 'b'))).toBe(false)
    await streams.finish(streamId, { state: 'done', at })
    expect(await openMessages(far).list(sessionId)).toEqual([])
    expect(await streams.open(answerOf(sessionId, crypto.randomUUID()), 0)).toBe('running')
  })

  test('what a dead process left running is failed by its reader, that alone, with what it had written', async () => {
    const { streams, sessionId, ...before } = await openStream()
    const unread = answerOf(
      await addSession(before.database, await addAccount(before.database, 2)),
      crypto.randomUUID(),
    )
    expect(await streams.open(unread, 0)).toBe('running')
    expect(await streams.failAbandoned(at)).toBe(0)
    await streams.append(streamId, text(1, 'half an ans'))
    const database = await open.restart()
    const heirs = openChatStreams(database, 20)
    // On PostgreSQL a process counts as dead after a time without a heartbeat.
    if (database.dialect === 'postgresql') await database.tables.run('delete from worker')
    expect(await collect(heirs.follow(streamId, 0, never))).toEqual([text(1, 'half an ans')])
    expect(await heirs.find(unread.id)).toMatchObject({ state: 'running' })
    expect(await heirs.failAbandoned(at)).toBe(1)
    expect(await heirs.find(unread.id)).toMatchObject({ state: 'failed' })
    const error = { code: 'UNAVAILABLE', message: expect.stringMatching(/Send the message again/) }
    expect(await heirs.find(streamId)).toEqual({ sessionId, state: 'failed', error, lastSeq: 1 })
    const answer = { role: 'assistant', content: 'half an ans', incomplete: 'failed' }
    expect(await openMessages(database).list(sessionId)).toEqual([user('hello'), answer])
    expect(await heirs.open(answerOf(sessionId, crypto.randomUUID()), 0)).toBe('running')
  })

  test('one that began before the moment is forgotten with its pieces', async () => {
    const { streams } = await openStream()
    await streams.append(streamId, text(1, 'a'))
    await streams.finish(streamId, { state: 'done', at })
    expect(await streams.purge(at, 9)).toBe(0)
    expect(await streams.purge(new Date(at.getTime() + 1), 9)).toBe(1)
    expect(await streams.find(streamId)).toBeNull()
    expect(await collect(streams.follow(streamId, 0, new AbortController().signal))).toEqual([])
  })
})
