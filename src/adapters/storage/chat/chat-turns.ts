import { DomainError } from '../../../domain/core/errors.ts'
import type { ChatStreams, HistoryMessage, NewAnswer, StreamEnd } from '../../../domain/ports/conversations.ts'
import type { Database } from '../connection/database.ts'
import { createWaiter } from '../connection/signals.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import type { SessionRow } from '../entities/accounts.ts'
import { ChatChunkEntity, ChatStreamEntity } from '../entities/conversations.ts'
import { chatTopics } from './chat-topics.ts'
import { appendMessages, lockSession, refuseWhereFull } from './messages.ts'
import { bytesOf, refuseWhereStorageFull } from './stored-bytes.ts'

type Turns = Pick<ChatStreams, 'open' | 'turn' | 'finish' | 'failAbandoned'>

const open = { $in: ['running', 'queued'] }

/** The end of an answer whose process died (invariant 7 of `ChatStreams`). */
export function abandoned(at: Date): StreamEnd {
  return {
    state: 'failed',
    error: {
      code: 'UNAVAILABLE',
      message: 'The gateway stopped before the answer was complete. Send the message again.',
    },
    at,
  }
}

/**
 * How long after its lease the answers of a process are failed. One that was only busy for so long finds them failed, and
 * stores nothing more in them (invariants 3 and 4 of `ChatStreams`).
 */
const graceMs = 500

/**
 * SQL condition: the process that holds the stream is dead. The parameter is this process. SQLite serves a single
 * process.
 */
export function heldByDead({ dialect }: Pick<Database, 'dialect'>): string {
  const living = `select id from worker where until > now() - interval '${graceMs} ms'`
  return dialect === 'sqlite' ? 'holder <> ?' : `(holder <> ? and holder not in (${living}))`
}

/** SQL expression: the milliseconds until the process that holds the stream counts as dead, unless it goes on. */
export function lifeLeft({ dialect }: Pick<Database, 'dialect'>): string {
  if (dialect === 'sqlite') return '0'
  const until = '(select until from worker where id = chat_stream.holder)'
  return `ceil(coalesce(extract(epoch from ${until} - now()), 0) * 1000 + ${graceMs})::int`
}

/**
 * Begins and ends the answers of a session under a lock on its row. Queued answers check their turn within `pollMs`.
 */
export function createTurns(database: Database, pollMs: number, mostBytes: number): Turns {
  const dead = `select id from chat_stream where state in ('running', 'queued') and ${heldByDead(database)}`
  const deadStreams = queryOf<{ id: string }>(database, dead)
  const deadOfSession = queryOf<{ id: string }>(database, `${dead} and session_id = ?`)

  async function finish(streamId: string, end: StreamEnd): Promise<void> {
    const stream = await database.tables.findOne(ChatStreamEntity, streamId)
    if (stream !== null) {
      const { sessionId } = stream
      await database.transaction(async (tables) => {
        const session = await lockSession(tables, sessionId)
        if (session !== null) await endAnswer(tables, session, streamId, end)
      })
      database.signals.notify(chatTopics.turn(sessionId))
    }
    database.signals.notify(chatTopics.stream(streamId)) // its readers notice that it has ended or is deleted
  }

  async function fail(streams: readonly { id: string }[], at: Date): Promise<void> {
    for (const { id } of streams) await finish(id, abandoned(at))
  }

  /**
   * Begins the answer if it is first in the queue (invariant 1). Null where it is not; false where it was cleared or
   * stopped.
   */
  async function tryTurn(answer: NewAnswer): Promise<boolean | null> {
    const { id, sessionId, messages } = answer
    if (database.mayJudge()) await fail(await deadOfSession(database.holder, sessionId), answer.at)
    // Looked at before anything is locked, since most looks are too early.
    const [first] = await queueOf(database.tables, sessionId)
    if (first !== undefined && first.id !== id) return null
    return await database.transaction(async (tables) => {
      await refuseWhereStorageFull(tables, sessionId, messages, mostBytes)
      const session = await lockSession(tables, sessionId)
      const queue = await queueOf(tables, sessionId)
      if (session === null || !queue.some((one) => one.id === id)) return false
      if (queue[0]?.id !== id) return null
      const begun = await tables.update(ChatStreamEntity, { id, stopRequested: false }, { state: 'running' })
      if (begun === 0) return false
      refuseWhereFull(session, messages)
      await appendMessages(tables, session, messages, answer.at)
      return true
    })
  }

  return {
    async open({ id, sessionId, messages, at }, most) {
      if (database.mayJudge()) await fail(await deadOfSession(database.holder, sessionId), at)
      return await database.transaction(async (tables) => {
        await refuseWhereStorageFull(tables, sessionId, messages, mostBytes)
        const session = await lockSession(tables, sessionId)
        if (session === null) throw new DomainError('NOT_FOUND', 'The session was deleted. Create another one.')
        refuseWhereFull(session, messages)
        const queue = await queueOf(tables, sessionId)
        const [first] = queue
        if (first !== undefined && queue.length > most) return { streamId: first.id, waiting: queue.length - 1 }
        const state = first === undefined ? 'running' : 'queued'
        const position = (queue.at(-1)?.position ?? 0) + 1
        const { holder } = database
        const row = { id, sessionId, state, position, holder, stopRequested: false, createdAt: at }
        await tables.insert(ChatStreamEntity, row)
        if (state === 'running') await appendMessages(tables, session, messages, at)
        return state
      })
    },
    async turn(answer, signal) {
      const turns = createWaiter(database.signals, [chatTopics.turn(answer.sessionId)], signal)
      try {
        while (!signal.aborted) {
          const begun = await tryTurn(answer)
          if (begun !== null) return begun
          await turns.wait(database.dialect === 'sqlite' ? null : pollMs)
        }
        return false
      } finally {
        turns.close()
      }
    },
    finish,
    async failAbandoned(at) {
      if (!database.mayJudge()) return 0
      const streams = await deadStreams(database.holder)
      await fail(streams, at)
      return streams.length
    },
  }
}

/** The open answers of a session, the running one first. */
async function queueOf(tables: Tables, sessionId: string) {
  return await tables.find(ChatStreamEntity, { sessionId, state: open }, { orderBy: { position: 'asc' } })
}

/** Ends an answer of a locked session and stores its text as a message (invariants 2, 4, 5 and 8 of `ChatStreams`). */
async function endAnswer(tables: Tables, session: SessionRow, streamId: string, end: StreamEnd): Promise<void> {
  const error = end.state === 'failed' ? end.error : null
  const change = { state: end.state, errorCode: error?.code ?? null, errorMessage: error?.message ?? null }
  const ended = await tables.update(ChatStreamEntity, { id: streamId, state: open }, change)
  if (ended === 0) return
  const page = { orderBy: { seq: 'asc' }, fields: ['content', 'facts'] } as const
  const chunks = await tables.find(ChatChunkEntity, { streamId }, page)
  const storedBytes = bytesOf(chunks)
  await tables.update(ChatStreamEntity, { id: streamId }, { storedBytes })
  const content = chunks.map((chunk) => chunk.content).join('')
  const message: HistoryMessage = {
    role: 'assistant',
    content,
    ...(end.state !== 'done' && { incomplete: end.state }),
    ...(end.facts && { facts: end.facts }),
  }
  await appendMessages(tables, session, content === '' ? [] : [message], end.at, storedBytes)
}
