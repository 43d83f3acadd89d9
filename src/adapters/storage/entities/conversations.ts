import { defineEntity, p } from '@mikro-orm/core'
import { SessionEntity } from './accounts.ts'

export const MessageEntity = defineEntity({
  name: 'Message',
  tableName: 'message',
  indexes: [{ properties: ['sessionId', 'id'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    sessionId: () => p.manyToOne(SessionEntity).mapToPk().fieldName('session_id').deleteRule('cascade').index(false),
    role: p.text(),
    content: p.text(),
    /** Why an answer ends early; null where the message is complete. */
    incomplete: p.text().nullable(),
    /** JSON of the facts of an answer; null for other messages, and for answers of versions without facts. */
    facts: p.text().nullable(),
    createdAt: p.datetime().length(3),
  },
})

export const ChatStreamEntity = defineEntity({
  name: 'ChatStream',
  tableName: 'chat_stream',
  indexes: [{ properties: ['createdAt'] }, { properties: ['sessionId', 'state'] }],
  properties: {
    id: p.text().primary(),
    sessionId: () => p.manyToOne(SessionEntity).mapToPk().fieldName('session_id').deleteRule('cascade').index(false),
    state: p.text(),
    /** Position in the queue of the session: open answers are written in this order. */
    position: p.integer().default(0),
    /** The process that writes the answer. */
    holder: p.text().default(''),
    stopRequested: p.boolean(),
    /** Bytes of its pieces, which the session counts too; 0 while it is written. */
    storedBytes: p.integer().default(0),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: p.datetime().length(3),
  },
})

export const ChatChunkEntity = defineEntity({
  name: 'ChatChunk',
  tableName: 'chat_chunk',
  primaryKeys: ['streamId', 'seq'],
  properties: {
    streamId: () =>
      p.manyToOne(ChatStreamEntity).mapToPk().fieldName('stream_id').deleteRule('cascade').primary().index(false),
    seq: p.integer().primary(),
    content: p.text(),
    /** JSON of the fields of an event other than text; null for a piece of text. */
    facts: p.text().nullable(),
  },
})
