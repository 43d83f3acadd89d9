import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { storable } from '../../src/adapters/storage/connection/text.ts'
import { bounds } from '../../src/contract/shared/limits.ts'
import type { AnswerFacts, HistoryMessage, Message } from '../../src/domain/ports/conversations.ts'
import { seed, sized } from '../sized.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'

/** Stores messages by an answer without text. */
async function keep(database: Database, sessionId: string, messages: readonly Message[]): Promise<void> {
  const streams = openChatStreams(database, 20)
  const id = crypto.randomUUID()
  expect(await streams.open({ id, sessionId, messages, at }, 0)).toBe('running')
  await streams.finish(id, { state: 'done', at })
}

const user = (content: string): Message => ({ role: 'user', content })

eachDatabase('messages', (open) => {
  test('any text comes back as it was stored, in order', async () => {
    const database = await open()
    const messages = openMessages(database)
    const userId = await addAccount(database)
    const role = fc.constantFrom<Message['role']>('user', 'assistant')
    const content = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^['"\\?$:;%-]{0,9}$/))
    const property = fc.asyncProperty(fc.array(fc.record({ role, content }), { maxLength: 5 }), async (sent) => {
      const id = await addSession(database, userId)
      await keep(database, id, sent)
      expect(await messages.list(id)).toEqual(sent.map((one) => ({ ...one, content: storable(one.content) })))
      await openSessions(database).delete(id)
    })
    await fc.assert(property, { numRuns: sized(10, 50), seed })
  })

  test('ten thousand are stored at once and read in order, whole and by pages; clearing is for one session', async () => {
    const database = await open()
    const messages = openMessages(database)
    const userId = await addAccount(database)
    const [id, other] = [await addSession(database, userId), await addSession(database, userId)]
    const many = Array.from({ length: 10_000 }, (_, index) => user(`m${index}`))
    await keep(database, other, many.slice(0, 3))
    await keep(database, id, many)
    expect(await messages.list(id)).toEqual(many)
    const paged: Message[] = []
    for (let page = await messages.page(id, null, 3_000); page.length > 0; ) {
      paged.push(...page.map(({ role, content }) => ({ role, content })))
      page = await messages.page(id, page.at(-1)?.id ?? 0, 3_000)
    }
    expect(paged.reverse()).toEqual(many)
    await messages.clear(id)
    expect(await messages.list(id)).toEqual([])
    expect(await messages.list(other)).toHaveLength(3)
  })

  test('a session keeps so much and no more, until it is cleared', async () => {
    const database = await open()
    const id = await addSession(database, await addAccount(database))
    const streams = openChatStreams(database, 20)
    const refused = async (messages: Message[]) =>
      await expect(streams.open({ id: crypto.randomUUID(), sessionId: id, messages, at }, 0)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      })
    await keep(
      database,
      id,
      Array.from({ length: bounds.sessionMessages - 1 }, () => user('m')),
    )
    await refused([user('one'), user('too many')])
    await keep(database, id, [user('the last')])
    await refused([user('one more')])
    await openMessages(database).clear(id)
    await refused([user('m'.repeat(bounds.sessionCharacters + 1))])
    await keep(database, id, [user('again')])
    expect(await openMessages(database).list(id)).toEqual([user('again')])
  })

  test('the newest come with the facts of their answers, and a message stored without facts has none', async () => {
    const database = await open()
    const messages = openMessages(database)
    const sessionId = await addSession(database, await addAccount(database))
    const streams = openChatStreams(database, 20)
    const facts: AnswerFacts = { quoteIds: ['a', 'b'], state: { format: 'test/1', data: { text: '\0 “é” \ud800' } } }
    const answers = [
      { end: { state: 'done', at, facts } },
      { end: { state: 'done', at } },
      { end: { state: 'failed', error: { code: 'INTERNAL', message: 'no' }, at, facts } },
    ] as const
    for (const [index, { end }] of answers.entries()) {
      const id = crypto.randomUUID()
      await streams.open({ id, sessionId, messages: [user(`question ${index}`)], at }, 0)
      await streams.append(id, { seq: 1, content: `answer ${index}`, facts: null })
      await streams.finish(id, end)
    }
    const stored: HistoryMessage[] = [
      user('question 0'),
      { role: 'assistant', content: 'answer 0', facts },
      user('question 1'),
      { role: 'assistant', content: 'answer 1' },
      user('question 2'),
      { role: 'assistant', content: 'answer 2', incomplete: 'failed', facts },
    ]
    expect(await messages.latest(sessionId, 100)).toEqual(stored)
    expect(await messages.latest(sessionId, 3)).toEqual(stored.slice(3))
    expect(await messages.list(sessionId)).toEqual(stored.map(({ facts: _facts, ...message }) => message))
  })

  test('go with their session, and a deleted session takes no more', async () => {
    const database = await open()
    const messages = openMessages(database)
    const id = await addSession(database, await addAccount(database))
    await keep(database, id, [user('hello')])
    await openSessions(database).delete(id)
    expect(await messages.list(id)).toEqual([])
    await expect(keep(database, id, [user('late')])).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
