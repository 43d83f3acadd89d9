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
    createdAt: p.datetime().length(3),
  },
})

export const ChatStreamEntity = defineEntity({
  name: 'ChatStream',
  tableName: 'chat_stream',
  indexes: [{ properties: ['createdAt'] }],
  properties: {
    id: p.text().primary(),
    sessionId: () => p.manyToOne(SessionEntity).mapToPk().fieldName('session_id').deleteRule('cascade'),
    state: p.text(),
    stopRequested: p.boolean(),
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
  },
})
