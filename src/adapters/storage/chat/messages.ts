import { bounds } from '../../../contract/shared/limits.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import type { HistoryMessage, Message, Messages } from '../../../domain/ports/conversations.ts'
import type { Database } from '../connection/database.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { storable } from '../connection/text.ts'
import { SessionEntity, type SessionRow } from '../entities/accounts.ts'
import { ChatStreamEntity, MessageEntity } from '../entities/conversations.ts'
import { OfferEntity } from '../entities/quotes.ts'
import { chatTopics } from './chat-topics.ts'
import { bytesOf } from './stored-bytes.ts'

/** Ids are 32-bit integers in PostgreSQL, which rejects larger values in comparisons. */
const lastId = 2 ** 31 - 1

type Row = { id: number; role: Message['role']; content: string; incomplete: 'stopped' | 'failed' | null }
type RowWithFacts = Row & { facts: string | null }

/** Messages in the database, ordered by their id. */
export function openMessages(database: Database): Messages {
  const inOrder = queryOf<Row>(
    database,
    'select role, content, incomplete from message where session_id = ? order by id',
  )
  const before = queryOf<Row>(
    database,
    'select id, role, content, incomplete from message where session_id = ? and id < ? order by id desc limit ?',
  )
  const latest = queryOf<RowWithFacts>(
    database,
    'select role, content, incomplete, facts from message where session_id = ? order by id desc limit ?',
  )
  return {
    async list(sessionId) {
      return (await inOrder(sessionId)).map(messageOf)
    },
    async latest(sessionId, limit) {
      const rows = await latest(sessionId, limit)
      return rows.reverse().map((row) => ({ ...messageOf(row), ...(row.facts && { facts: JSON.parse(row.facts) }) }))
    },
    async page(sessionId, id, limit) {
      const rows = await before(sessionId, Math.min(id ?? lastId, lastId), limit)
      return rows.map((row) => ({ id: row.id, ...messageOf(row) }))
    },
    async clear(sessionId) {
      const streams = await database.transaction(async (tables) => {
        const session = await lockSession(tables, sessionId)
        if (session === null) return []
        const open = { sessionId, state: { $in: ['running', 'queued'] } }
        const interrupted = await tables.find(ChatStreamEntity, open, { fields: ['id'] })
        await tables.delete(ChatStreamEntity, { sessionId })
        await tables.delete(MessageEntity, { sessionId })
        await tables.delete(OfferEntity, { sessionId })
        await tables.update(SessionEntity, { id: sessionId }, { messageCount: 0, messageCharacters: 0, storedBytes: 0 })
        return interrupted.map(({ id }) => id)
      })
      for (const id of streams) {
        database.signals.notify(`${chatTopics.stop}:${id}`)
        database.signals.notify(chatTopics.stream(id))
      }
      database.signals.notify(chatTopics.turn(sessionId))
    },
    async purge(before, limit) {
      const { tables } = database
      // Ids rise with time, so the oldest messages come first, without an index by time.
      const page = { orderBy: { id: 'asc' }, limit, fields: ['id', 'sessionId', 'createdAt'] } as const
      const old = (await tables.find(MessageEntity, {}, page)).filter(({ createdAt }) => createdAt < before)
      for (const [sessionId, rows] of Map.groupBy(old, (row) => row.sessionId)) {
        const ids = rows.map(({ id }) => id)
        await deleteMessages(database, sessionId, ids)
      }
      return old.length
    },
  }
}

/** Deletes those of the messages that another process has not deleted meanwhile, and counts them off their session. */
async function deleteMessages(database: Database, sessionId: string, ids: number[]): Promise<void> {
  await database.transaction(async (tables) => {
    const session = await lockSession(tables, sessionId)
    if (session === null) return
    const rows = await tables.find(MessageEntity, { id: ids })
    await tables.delete(MessageEntity, { id: ids })
    const counts = {
      messageCount: session.messageCount - rows.length,
      messageCharacters: session.messageCharacters - charactersOf(rows),
      storedBytes: session.storedBytes - bytesOf(rows),
    }
    await tables.update(SessionEntity, { id: sessionId }, counts)
  })
}

/** Locks the session's row until the transaction ends. Answers are begun, ended and cleared under this lock. */
export async function lockSession(tables: Tables, sessionId: string): Promise<SessionRow | null> {
  return await tables.findOne(SessionEntity, sessionId, { lock: 'update' })
}

/** Throws LIMIT_EXCEEDED where the messages do not fit into the session. */
export function refuseWhereFull(session: SessionRow, messages: readonly Message[]): void {
  const fits =
    session.messageCount + messages.length <= bounds.sessionMessages &&
    session.messageCharacters + charactersOf(messages) <= bounds.sessionCharacters
  if (fits) return
  const most = `${bounds.sessionMessages} messages or ${bounds.sessionCharacters} characters`
  throw new DomainError(
    'LIMIT_EXCEEDED',
    `A session holds at most ${most}. Clear its history or create another session.`,
    {
      metadata: { messages: String(session.messageCount), characters: String(session.messageCharacters) },
    },
  )
}

/** Appends to a locked session, which then takes `more` bytes besides. */
export async function appendMessages(
  tables: Tables,
  session: SessionRow,
  messages: readonly HistoryMessage[],
  at: Date,
  more = 0,
): Promise<void> {
  const rows = messages.map(({ role, content, incomplete = null, facts }) => ({
    sessionId: session.id,
    role,
    content: storable(content),
    incomplete,
    facts: facts === undefined ? null : JSON.stringify(facts),
    createdAt: at,
  }))
  for (const row of rows) await tables.insert(MessageEntity, row)
  const messageCount = session.messageCount + messages.length
  const messageCharacters = session.messageCharacters + charactersOf(messages)
  const storedBytes = session.storedBytes + bytesOf(rows) + more
  await tables.update(SessionEntity, { id: session.id }, { messageCount, messageCharacters, storedBytes })
}

function charactersOf(messages: readonly { content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}

function messageOf({ role, content, incomplete }: Row): Message {
  return { role, content, ...(incomplete !== null && { incomplete }) }
}
