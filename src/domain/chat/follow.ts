import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { StoredStream } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'

/** A piece of an answer as every protocol shows it; `id` is the cursor that resumes after it. */
export type ChatEvent = OutputOf<typeof contract.chat.stream>

/** What is read of a stream: what follows a place in it, and whether its events are wanted beside its text. */
export type Reading = { streamId: string; afterSeq: number; events: boolean }

/**
 * The stored stream from a place on, and what is still being written. A failed answer ends with its error, and one that
 * is forgotten meanwhile with NOT_FOUND; a reader that has seen the last event is told no more.
 */
export async function* followReply(
  ports: Pick<Ports, 'chatStreams'>,
  { streamId, afterSeq, events }: Reading,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const eventOf = (seq: number, content: string): ChatEvent => ({
    id: `${streamId}:${seq}`,
    role: 'assistant',
    content,
  })
  for await (const { seq, content, facts } of ports.chatStreams.follow(streamId, afterSeq, signal)) {
    if (events) yield { ...eventOf(seq, content), ...(facts ?? { event: 'text' }) }
    else if (facts === null) yield eventOf(seq, content)
  }
  if (signal.aborted) return
  const stream = await ports.chatStreams.find(streamId)
  if (stream === null) throw new DomainError('NOT_FOUND', 'This answer is gone: its session was deleted or cleared.')
  const end = stream.lastSeq + 1
  if (afterSeq >= end) return
  const error = errorOf(stream)
  if (events) yield { ...eventOf(end, ''), ...(error === null ? doneOf(stream) : { event: 'error', error }) }
  if (error !== null) throw new DomainError(error.code, error.message)
}

function errorOf({ state, error }: StoredStream) {
  if (state !== 'failed') return null
  return error ?? { code: 'UNAVAILABLE' as const, message: 'The assistant failed to finish this answer; ask again.' }
}

function doneOf({ state }: StoredStream) {
  return { event: 'done', ended: state === 'stopped' ? 'stopped' : 'done' } as const
}
