import type { ChatStreams, StreamChunk, StreamState } from '../../domain/ports/conversations.ts'
import type { Database } from './database.ts'
import { ChatChunkEntity, ChatStreamEntity } from './entities/conversations.ts'
import { storable } from './text.ts'
import { createWatch } from './watch.ts'

/** Streams over the database; readers in other processes see new pieces within `pollMs`. */
export function openChatStreams(database: Database, pollMs = 500): ChatStreams {
  const head = database.hotRead<{ state: string; stopped: number | boolean }>(
    'chat_stream_head',
    'select state, stop_requested as stopped from chat_stream where id = ?',
  )
  const after = database.hotRead<StreamChunk>(
    'chat_chunks_after',
    'select seq, content from chat_chunk where stream_id = ? and seq > ? order by seq limit 200',
  )
  const stops = createWatch(database.signals, 'chat-stop', async (id) => Boolean((await head(id))[0]?.stopped), pollMs)
  const wake = (streamId: string): void => database.signals.notify(`chat-stream:${streamId}`)

  async function* follow(streamId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<StreamChunk> {
    const news = createNews(database, `chat-stream:${streamId}`, pollMs, signal)
    let seq = afterSeq
    try {
      while (!signal.aborted) {
        // The state is read before the pieces: what was written before the end is then never missed.
        const running = (await head(streamId))[0]?.state === 'running'
        const chunks = await after(streamId, seq)
        for (const chunk of chunks) {
          if (signal.aborted) return
          seq = chunk.seq
          yield { seq, content: chunk.content }
        }
        if (chunks.length > 0) continue
        if (!running) return
        await news.wait()
      }
    } finally {
      news.close()
    }
  }

  return {
    async create(streamId, sessionId, at) {
      const row = { id: streamId, sessionId, state: 'running', stopRequested: false, createdAt: at }
      await database.fork().insert(ChatStreamEntity, row)
    },
    async append(streamId, { seq, content }) {
      await database.fork().insert(ChatChunkEntity, { streamId, seq, content: storable(content) })
      wake(streamId)
    },
    async finish(streamId, state, error) {
      const change = { state, errorCode: error?.code ?? null, errorMessage: error?.message ?? null }
      await database.fork().nativeUpdate(ChatStreamEntity, { id: streamId, state: 'running' }, change)
      wake(streamId)
    },
    async find(streamId) {
      const row = await database.fork().findOne(ChatStreamEntity, streamId)
      if (row === null) return null
      const { errorCode: code, errorMessage: message } = row
      const error = typeof code === 'string' && typeof message === 'string' ? { code, message } : null
      return { sessionId: row.sessionId, state: row.state as StreamState, error }
    },
    follow,
    async requestStop(streamId) {
      const running = { id: streamId, state: 'running' }
      const asked = await database.fork().nativeUpdate(ChatStreamEntity, running, { stopRequested: true })
      if (asked > 0) stops.notify(streamId)
      return asked > 0
    },
    onStop: (streamId, listener) => stops.listen(streamId, listener),
    async purge(before, limit) {
      const em = database.fork()
      const page = { orderBy: { createdAt: 'asc' }, limit, fields: ['id'] } as const
      const id = (await em.find(ChatStreamEntity, { createdAt: { $lt: before } }, page)).map((row) => row.id)
      return id.length === 0 ? 0 : await em.nativeDelete(ChatStreamEntity, { id })
    },
    async failAbandoned(before, { code, message }) {
      const where = { state: 'running', createdAt: { $lt: before } }
      const change = { state: 'failed', errorCode: code, errorMessage: message }
      return await database.fork().nativeUpdate(ChatStreamEntity, where, change)
    },
  }
}

/** Waits for a wake-up, a turn of the poll or the end of the signal; what comes between two waits is not lost. */
function createNews(database: Database, topic: string, pollMs: number, signal: AbortSignal) {
  let fresh = false
  let resume = () => {}
  const arrive = () => {
    fresh = true
    resume()
  }
  const unlisten = database.signals.listen(topic, arrive)
  signal.addEventListener('abort', arrive)
  return {
    async wait(): Promise<void> {
      if (!fresh) {
        await new Promise<void>((resolve) => {
          resume = resolve
          const timer = setTimeout(resolve, pollMs)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      fresh = false
    },
    close() {
      unlisten()
      signal.removeEventListener('abort', arrive)
    },
  }
}
