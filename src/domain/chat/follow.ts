import { DomainError } from '../errors.ts'
import type { Ports } from '../ports.ts'

/** A piece of an answer as every protocol shows it; `id` is the cursor that resumes after it. */
export type ChatEvent = { id: string; role: 'assistant'; content: string }

/** The stored stream from a cursor on, and what is still being written; a failed answer ends with its error. */
export async function* followReply(
  ports: Pick<Ports, 'chatStreams'>,
  streamId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  for await (const { seq, content } of ports.chatStreams.follow(streamId, afterSeq, signal)) {
    yield { id: `${streamId}:${seq}`, role: 'assistant', content }
  }
  const ended = await ports.chatStreams.find(streamId)
  if (ended?.state === 'failed')
    throw new DomainError('UNAVAILABLE', 'The assistant failed to finish this answer; ask again.')
}
