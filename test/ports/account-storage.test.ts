import { expect, test } from 'vitest'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { SessionEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { ChatStreamEntity } from '../../src/adapters/storage/entities/conversations.ts'
import { countStoredBytes } from '../../src/adapters/storage/migrations/stored-bytes.ts'
import type { Message } from '../../src/domain/ports/conversations.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'

const mostBytes = 50_000
const full = { code: 'STORAGE_FULL' }

const user = (content: string): Message => ({ role: 'user', content })

/** Asks and answers once in a session, with texts of so many bytes. */
async function talk(database: Database, sessionId: string, sizes: { asked: number; answered: number }, when = at) {
  const streams = openChatStreams(database, 20, mostBytes)
  const id = crypto.randomUUID()
  await streams.open({ id, sessionId, messages: [user('é'.repeat(sizes.asked / 2))], at: when }, 0)
  const facts = { status: 'shown' } as never
  await streams.append(id, { seq: 1, content: 'a'.repeat(sizes.answered), facts: null })
  await streams.append(id, { seq: 2, content: '', facts })
  await streams.finish(id, { state: 'done', at: when })
}

async function stored(database: Database): Promise<number> {
  const rows = await database.tables.find(SessionEntity, {}, { fields: ['storedBytes'] })
  return rows.reduce((sum, row) => sum + row.storedBytes, 0)
}

eachDatabase('the chats of an account', (open) => {
  test('take as much as it may keep, over all sessions, and the refusal names the largest', async () => {
    const database = await open()
    const [ada, bob] = [await addAccount(database, 1), await addAccount(database, 2)]
    const [small, large, other] = [
      await addSession(database, ada),
      await addSession(database, ada),
      await addSession(database, bob),
    ]
    await talk(database, small, { asked: 4_000, answered: 1_000 })
    await talk(database, large, { asked: 20_000, answered: 5_000 })
    // Texts are kept as a message and, answers, as pieces too.
    expect(await stored(database)).toBeGreaterThan(36_000)
    expect(await stored(database)).toBeLessThan(37_000)
    const more = talk(database, small, { asked: 14_000, answered: 1 })
    await expect(more).rejects.toMatchObject({ ...full, message: expect.stringContaining(large) })
    await talk(database, other, { asked: 14_000, answered: 1 })
    await openMessages(database).clear(large)
    await talk(database, small, { asked: 14_000, answered: 1 })
    await openSessions(database).delete(small)
    await openSessions(database).delete(other)
    expect(await stored(database)).toBe(0)
  })

  test('count each other where they are written at the same time', async () => {
    const databases = [await open(), await open()]
    const userId = await addAccount(databases[0]!)
    const sessions = await Promise.all(Array.from({ length: 6 }, () => addSession(databases[0]!, userId)))
    const opened = await Promise.allSettled(
      sessions.map(async (sessionId, index) => {
        const streams = openChatStreams(databases[index % 2]!, 20, mostBytes)
        return await streams.open({ id: crypto.randomUUID(), sessionId, messages: [user('m'.repeat(20_000))], at }, 0)
      }),
    )
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const outcome of opened) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(full)
  })

  test('give back what expires: pieces of answers, then messages', async () => {
    const database = await open()
    const sessionId = await addSession(database, await addAccount(database))
    const later = new Date(at.getTime() + 60_000)
    await talk(database, sessionId, { asked: 4_000, answered: 1_000 })
    await talk(database, sessionId, { asked: 2_000, answered: 500 }, later)
    const before = await stored(database)
    expect(await openChatStreams(database).purge(later, 9)).toBe(1)
    expect(before - (await stored(database))).toBeGreaterThan(1_000)
    const messages = openMessages(database)
    expect([await messages.purge(later, 9), await messages.purge(later, 9)]).toEqual([2, 0])
    expect((await messages.list(sessionId)).map(({ content }) => content.length)).toEqual([1_000, 500])
    expect(await messages.purge(new Date(later.getTime() + 1), 1)).toBe(1)
    expect(await messages.purge(new Date(later.getTime() + 1), 9)).toBe(1)
    expect(await openChatStreams(database).purge(new Date(later.getTime() + 1), 9)).toBe(1)
    const [row] = await database.tables.find(SessionEntity, { id: sessionId })
    expect(row).toMatchObject({ storedBytes: 0, messageCount: 0, messageCharacters: 0 })
  })

  test('are counted off once, however many processes delete them at a time', async () => {
    const databases = [await open(), await open()]
    const sessionId = await addSession(databases[0]!, await addAccount(databases[0]!))
    for (let round = 0; round < 5; round += 1) await talk(databases[0]!, sessionId, { asked: 400, answered: 100 })
    await talk(databases[0]!, sessionId, { asked: 400, answered: 100 }, new Date(at.getTime() + 60_000))
    const later = new Date(at.getTime() + 1)
    await Promise.all(databases.map(async (database) => await openMessages(database).purge(later, 6)))
    await Promise.all(databases.map(async (database) => await openChatStreams(database).purge(later, 9)))
    const left = await openMessages(databases[0]!).list(sessionId)
    const [row] = await databases[0]!.tables.find(SessionEntity, { id: sessionId })
    expect(row).toMatchObject({
      messageCount: left.length,
      messageCharacters: left.reduce((sum, { content }) => sum + content.length, 0),
    })
    await openMessages(databases[0]!).purge(new Date(later.getTime() + 60_000), 99)
    await openChatStreams(databases[0]!).purge(new Date(later.getTime() + 60_000), 99)
    expect(await stored(databases[0]!)).toBe(0)
  })

  test('of a version before are counted by the migration', async () => {
    const database = await open()
    const sessionId = await addSession(database, await addAccount(database))
    await talk(database, sessionId, { asked: 4_000, answered: 1_000 })
    const [counted, pieces] = [await stored(database), await piecesOf(database)]
    await database.tables.update(SessionEntity, {}, { storedBytes: 0 })
    await database.tables.update(ChatStreamEntity, {}, { storedBytes: 0 })
    for (const statement of countStoredBytes) await database.tables.run(statement)
    expect([await stored(database), await piecesOf(database)]).toEqual([counted, pieces])
  })
})

async function piecesOf(database: Database): Promise<number[]> {
  return (await database.tables.find(ChatStreamEntity, {})).map(({ storedBytes }) => storedBytes)
}
