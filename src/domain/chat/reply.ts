import type { ErrorDetails } from '../../contract/errors.ts'
import { DomainError, invalid } from '../errors.ts'
import type { Message } from '../ports/conversations.ts'
import type { Ports } from '../ports.ts'
import { type ConversePorts, converse } from './converse.ts'
import { chatTools, type ToolPorts } from './tools.ts'

export type ReplyPorts = ConversePorts | ToolPorts | 'chatStreams' | 'clock' | 'ids' | 'messages' | 'sessions'

type Caller = { userId: number; sessionId: string }

/** An answer that is being written: it goes on to its end whether anybody reads it or not. */
export type RunningReply = { streamId: string; finished: Promise<string> }

/**
 * Stores what the caller says, then lets the assistant write its answer piece by piece into a stored stream.
 * What follows the last assistant message of the request is new; what stands before it is context of this answer only.
 */
export async function startReply(
  ports: Pick<Ports, ReplyPorts>,
  caller: Caller,
  sent: readonly Message[],
): Promise<RunningReply> {
  const last = sent.at(-1)
  if (last === undefined || last.role !== 'user')
    throw invalid(`messages.${sent.length - 1}.role`, 'the last message must be from the user')
  const news = newMessages(sent)
  const stored = await ports.messages.list(caller.sessionId)
  const history = [...stored, ...sent.slice(0, -1)]
  const streamId = ports.ids.uuid()
  await ports.messages.append(caller.sessionId, news, ports.clock.now())
  await ports.chatStreams.create(streamId, caller.sessionId, ports.clock.now())
  const finished = write(ports, caller, streamId, history, last.content)
  finished.catch(() => undefined) // the reader learns of it from the stream; nobody may be waiting here
  return { streamId, finished }
}

/** The messages of a request that the session does not know yet. */
function newMessages(sent: readonly Message[]): Message[] {
  const lastAssistant = sent.findLastIndex((message) => message.role === 'assistant')
  return sent.slice(lastAssistant + 1)
}

async function write(
  ports: Pick<Ports, ReplyPorts>,
  caller: Caller,
  streamId: string,
  history: readonly Message[],
  text: string,
): Promise<string> {
  const stop = new AbortController()
  const unsubscribe = [
    ports.chatStreams.onStop(streamId, () => stop.abort()),
    ports.sessions.onDeleted(caller.sessionId, () => stop.abort()),
  ]
  let reply = ''
  let seq = 0
  try {
    const tools = chatTools(ports, caller, stop.signal)
    for await (const content of converse(ports, caller, {
      history,
      text,
      tools,
      signal: stop.signal,
      report: () => undefined,
    })) {
      if (stop.signal.aborted) break
      seq += 1
      reply += content
      await ports.chatStreams.append(streamId, { seq, content })
    }
    if (await ports.sessions.isLive(caller.sessionId)) {
      if (reply !== '')
        await ports.messages.append(caller.sessionId, [{ role: 'assistant', content: reply }], ports.clock.now())
      await ports.chatStreams.finish(streamId, stop.signal.aborted ? 'stopped' : 'done')
    }
    return reply
  } catch (error) {
    const shown = publicError(error)
    await ports.chatStreams.finish(streamId, 'failed', shown)
    throw error
  } finally {
    for (const end of unsubscribe) end()
  }
}

/** What of a failure may be stored and shown: a domain error's own words, never an exception's text. */
function publicError(error: unknown): { code: string; message: string; details?: ErrorDetails } {
  if (error instanceof DomainError) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: 'The assistant failed to answer; ask again.' }
}
