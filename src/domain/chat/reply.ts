import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { DomainError, invalid, isAbortOf } from '../core/errors.ts'
import type { Busy, Message, NewAnswer, StreamError } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'
import { type ConversePorts, converse } from './converse.ts'
import { endAnswer } from './end-answer.ts'
import { limitedTools } from './tools/tool-budget.ts'
import { chatTools, type ToolPorts } from './tools/tools.ts'
import { eventWriter, toldTools } from './write-events.ts'

export type ReplyPorts = ConversePorts | ToolPorts | 'chatStreams' | 'clock' | 'ids' | 'messages' | 'sessions'

type Caller = { userId: number; sessionId: string }

/** What is asked, by whom, and what stops it beside a request to stop. */
type Job = { caller: Caller; answer: NewAnswer; sent: readonly Message[]; queued: boolean; left: AbortSignal | null }

/** An answer that is being written: it goes on to its end whether anybody reads it or not. */
export type RunningReply = { streamId: string; finished: Promise<Message> }

/**
 * Stores what the caller says, then lets the assistant write its answer piece by piece into a stored stream.
 * What follows the last assistant message of the request is new; what stands before it is context of this answer only.
 * While another answer of the session is written it is ALREADY_EXISTS, or waits in line where the request says so.
 * `left` aborts when the caller leaves, which stops the answer where the request says so.
 */
export async function startReply(
  ports: Pick<Ports, ReplyPorts>,
  caller: Caller,
  asked: InputOf<typeof contract.chat.send>,
  left: AbortSignal,
): Promise<RunningReply> {
  const { messages: sent, when_busy, on_disconnect } = asked
  if (sent.at(-1)?.role !== 'user')
    throw invalid(`messages.${sent.length - 1}.role`, 'the last message must be from the user')
  const { sessionId } = caller
  const answer = { id: ports.ids.uuid(), sessionId, messages: newMessages(sent), at: ports.clock.now() }
  const opened = await ports.chatStreams.open(answer, when_busy === 'queue' ? bounds.queuedAnswers : 0)
  if (typeof opened === 'object') throw inTheWay(opened)
  const queued = opened === 'queued'
  const finished = write(ports, { caller, answer, sent, queued, left: on_disconnect === 'stop' ? left : null })
  return { streamId: answer.id, finished }
}

/** The messages of a request that the session does not know yet. */
function newMessages(sent: readonly Message[]): Message[] {
  const lastAssistant = sent.findLastIndex((message) => message.role === 'assistant')
  return sent.slice(lastAssistant + 1)
}

function inTheWay({ streamId, waiting }: Busy): DomainError {
  const advice =
    waiting === 0
      ? 'read it with chat.resume, stop it with chat.stop, or send when_busy queue to wait in line'
      : `and ${waiting} wait in line: read it with chat.resume, or stop one with chat.stop`
  const message = `Another answer of this session is being written, ${streamId}: ${advice}.`
  return new DomainError('ALREADY_EXISTS', message, { metadata: { stream_id: streamId, waiting: String(waiting) } })
}

async function write(ports: Pick<Ports, ReplyPorts>, job: Job): Promise<Message> {
  const { answer, caller, left } = job
  const stop = new AbortController()
  const end = () => stop.abort()
  const unsubscribe = [
    ports.chatStreams.onStop(answer.id, end),
    ports.sessions.onDeleted(caller.sessionId, end),
    () => left?.removeEventListener('abort', end),
  ]
  left?.addEventListener('abort', end)
  if (left?.aborted) end()
  try {
    const content = await written(ports, job, stop)
    const state = stop.signal.aborted ? 'stopped' : 'done'
    await endAnswer(ports, answer.id, { state, at: ports.clock.now() })
    return { role: 'assistant', content, ...(state === 'stopped' && { incomplete: state }) }
  } catch (failure) {
    await endAnswer(ports, answer.id, { state: 'failed', error: shown(failure), at: ports.clock.now() })
    throw failure
  } finally {
    for (const undo of unsubscribe) undo()
  }
}

/** Writes the pieces of the answer once it is its turn, until it ends or is stopped; answers the text that is stored. */
async function written(
  ports: Pick<Ports, ReplyPorts>,
  { answer, caller, sent, queued }: Job,
  stop: AbortController,
): Promise<string> {
  const { signal } = stop
  let reply = ''
  const begun = !queued || (await ports.chatStreams.turn(answer, signal))
  if (!begun) stop.abort()
  if (signal.aborted) return reply
  const history = [...(await conversationBefore(ports, answer)), ...sent.slice(0, -1)]
  const put = eventWriter(ports.chatStreams, answer.id)
  const tools = limitedTools(toldTools(chatTools(ports, caller, signal), put))
  const text = sent.at(-1)?.content ?? ''
  try {
    const request = { history, text, tools, signal, report: () => undefined }
    for await (const content of converse(ports, { ...caller, answerId: answer.id }, request)) {
      if (signal.aborted) break
      if (await put({ content, facts: null })) reply += content
      else stop.abort()
    }
  } catch (failure) {
    if (!isAbortOf(signal, failure)) throw failure
  }
  return reply
}

/** The newest messages before those that are answered, oldest first. */
async function conversationBefore(ports: Pick<Ports, 'messages'>, { sessionId, messages }: NewAnswer) {
  const newest = await ports.messages.page(sessionId, null, bounds.messagesOfContext + messages.length)
  return newest
    .slice(messages.length)
    .reverse()
    .map(({ role, content }) => ({ role, content }))
}

/** What of a failure may be stored and shown: a domain error's own words, never an exception's text. */
function shown(failure: unknown): StreamError {
  if (!(failure instanceof DomainError) || failure.code === 'INTERNAL')
    return { code: 'INTERNAL', message: 'The assistant failed to answer; ask again.' }
  const code = failure.code === 'DEADLINE_EXCEEDED' || failure.code === 'LIMIT_EXCEEDED' ? failure.code : 'UNAVAILABLE'
  return { code, message: failure.message }
}
