import { LockMode } from '@mikro-orm/core'
import { DomainError } from '../../domain/errors.ts'
import type { Message, Messages } from '../../domain/ports/conversations.ts'
import type { Database } from './database.ts'
import { SessionEntity } from './entities/accounts.ts'
import { MessageEntity } from './entities/conversations.ts'
import { storable } from './text.ts'

/** Rows written by one statement: large enough to be fast, small enough not to stall other requests. */
const rowsAtOnce = 500

/** Messages over the database, ordered by their number. */
export function openMessages(database: Database): Messages {
  const inOrder = database.hotRead<Message>(
    'messages_in_order',
    'select role, content from message where session_id = ? order by id',
  )
  return {
    async append(sessionId, messages, at) {
      await database.transaction(async (em) => {
        // The lock keeps simultaneous appends from mixing and the session from being deleted underneath.
        const session = await em.findOne(SessionEntity, sessionId, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (session === null) throw new DomainError('NOT_FOUND', 'The session was deleted; start another one.')
        for (let start = 0; start < messages.length; start += rowsAtOnce) {
          const part = messages.slice(start, start + rowsAtOnce)
          const rows = part.map(({ role, content }) => ({ sessionId, role, content: storable(content), createdAt: at }))
          await em.insertMany(MessageEntity, rows)
        }
      })
    },
    async list(sessionId) {
      return (await inOrder(sessionId)).map(({ role, content }) => ({ role, content }))
    },
    async clear(sessionId) {
      await database.fork().nativeDelete(MessageEntity, { sessionId })
    },
  }
}
