import type { ChatStreams, StreamChunk, StreamError, StreamState } from '../../../domain/ports/conversations.ts'
import type { Database } from '../connection/database.ts'
import { createWaiter } from '../connection/signals.ts'
import { queryOf } from '../connection/tables.ts'
import { storable } from '../connection/text.ts'
import { createWatch } from '../connection/watch.ts'
import { SessionEntity } from '../entities/accounts.ts'
import { ChatStreamEntity } from '../entities/conversations.ts'
import { chatTopics } from './chat-topics.ts'
import { abandoned, createTurns, heldByDead, lifeLeft } from './chat-turns.ts'
import { lockSession } from './messages.ts'

type Flag = number | boolean
type Head = { open: Flag; stopped: Flag; own: Flag; dead: Flag; left: number }
type Found = { sessionId: string; state: StreamState; code: string | null; message: string | null; last: number | null }

/** Readers in the writing process miss no notification, so they poll this many times less often, only as a fallback. */
const ownPollFactor = 10

/**
 * Streams in the database; readers in other processes see new pieces by hints, at the latest within `pollMs`. The chats of an
 * account take at most `mostBytes`.
 */
export function openChatStreams(database: Database, pollMs = 500, mostBytes = 100 * 1_048_576): ChatStreams {
  const { dialect, signals } = database
  const turns = createTurns(database, pollMs, mostBytes)
  const heads = queryOf<Head>(
    database,
    `select state in ('running', 'queued') as open, stop_requested as stopped, holder = ? as own, ${heldByDead(database)} as dead,
         ${lifeLeft(database)} as left from chat_stream where id = ?`,
  )
  const found = queryOf<Found>(
    database,
    `select session_id as "sessionId", state, error_code as code, error_message as message,
       (select max(seq) from chat_chunk where stream_id = id) as last from chat_stream where id = ?`,
  )
  const after = queryOf<{ seq: number; content: string; facts: string | null }>(
    database,
    'select seq, content, facts from chat_chunk where stream_id = ? and seq > ? order by seq limit 200',
  )
  const head = async (streamId: string) => (await heads(database.holder, database.holder, streamId))[0]
  const mustStop = async (streamId: string) => {
    const now = await head(streamId)
    return now === undefined || !now.open || Boolean(now.stopped)
  }
  const stops = createWatch(database, chatTopics.stop, mustStop, pollMs)

  /**
   * Milliseconds to wait for more pieces; null where the answer has ended. A reader fails an answer whose process died.
   */
  async function pollDelay(streamId: string): Promise<number | null> {
    const now = await head(streamId)
    if (!now?.open) return null
    if (now.own) return pollMs * ownPollFactor
    if (now.dead && database.mayJudge()) await turns.finish(streamId, abandoned(new Date()))
    // The death of the process is noticed when it can be at the earliest, and its reader is told at once.
    return now.left > 0 ? Math.min(pollMs, now.left + 10) : pollMs
  }

  async function* follow(streamId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<StreamChunk> {
    const pieces = createWaiter(signals, [chatTopics.stream(streamId)], signal)
    let seq = afterSeq
    try {
      while (!signal.aborted) {
        // The state is read before the pieces, so that no piece written before the end is missed.
        const waitMs = await pollDelay(streamId)
        const chunks = await after(streamId, seq)
        for (const { facts, ...chunk } of chunks) {
          if (signal.aborted) return
          seq = chunk.seq
          yield { ...chunk, facts: facts === null ? null : JSON.parse(facts) }
        }
        if (chunks.length > 0) continue
        if (waitMs === null) return
        await pieces.wait(waitMs)
      }
    } finally {
      pieces.close()
    }
  }

  return {
    ...turns,
    follow,
    async append(streamId, { seq, content, facts }) {
      // The row is locked while the piece is written, so that none is stored after the end (invariants 3 and 4 of `ChatStreams`).
      const sql = `insert into chat_chunk (stream_id, seq, content, facts) select id, ?, ?, ? from chat_stream
        where id = ? and state = 'running' ${dialect === 'sqlite' ? '' : 'for share'}`
      const values = [seq, storable(content), facts === null ? null : JSON.stringify(facts), streamId]
      const added = await database.tables.run(sql, ...values)
      signals.notify(chatTopics.stream(streamId))
      return added > 0
    },
    async find(streamId) {
      const [row] = await found(streamId)
      if (row === undefined) return null
      const { sessionId, state, code, message, last } = row
      const error = code === null || message === null ? null : { code: code as StreamError['code'], message }
      return { sessionId, state, error, lastSeq: last ?? 0 }
    },
    async requestStop(streamId) {
      const open = { id: streamId, state: { $in: ['running', 'queued'] } }
      const requested = await database.tables.update(ChatStreamEntity, open, { stopRequested: true })
      if (requested > 0) stops.notify(streamId)
      return requested > 0
    },
    onStop: (streamId, listener) => stops.listen(streamId, listener),
    purge: (before, limit) => purgeStreams(database, before, limit),
  }
}

/** Deletes old answers with their pieces, and counts off their sessions those that no other process has deleted. */
async function purgeStreams(database: Database, before: Date, limit: number): Promise<number> {
  const page = { orderBy: { createdAt: 'asc' }, limit, fields: ['id', 'sessionId'] } as const
  const old = await database.tables.find(ChatStreamEntity, { createdAt: { $lt: before } }, page)
  for (const [sessionId, rows] of Map.groupBy(old, (row) => row.sessionId))
    await database.transaction(async (tables) => {
      const session = await lockSession(tables, sessionId)
      if (session === null) return
      const where = { id: rows.map(({ id }) => id) }
      const present = await tables.find(ChatStreamEntity, where, { fields: ['storedBytes'] })
      await tables.delete(ChatStreamEntity, where)
      const storedBytes = present.reduce((left, row) => left - row.storedBytes, session.storedBytes)
      await tables.update(SessionEntity, { id: sessionId }, { storedBytes })
    })
  return old.length
}
