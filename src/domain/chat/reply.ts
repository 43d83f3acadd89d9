import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { DomainError, type Fail, invalid, isAbortOf } from '../core/errors.ts'
import type { Call } from '../core/handler.ts'
import type { AnswerFacts, HistoryMessage, Message, NewAnswer, StreamEnd, StreamError } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'
import { swapOfQuote } from '../values/swap.ts'
import { type ConversePorts, converse } from './converse.ts'
import { limitedTools } from './tools/tool-budget.ts'
import { chatTools, type ToolPorts } from './tools/tools.ts'
import { eventWriter, reportingTools } from './write-events.ts'

export type ReplyPorts =
  | ConversePorts
  | ToolPorts
  | 'accounts'
  | 'chatStreams'
  | 'clock'
  | 'ids'
  | 'messages'
  | 'sessions'

type Input = InputOf<typeof contract.chat.send>
type ChatCall = Pick<Call<typeof contract.chat.send>, 'principal' | 'holder' | 'disconnected' | 'fail'>

/** An answer to write; `disconnected` stops it, where the request wants that. */
type Job = {
  caller: ChatCall['principal']
  holder: ChatCall['holder']
  answer: NewAnswer
  request: readonly Message[]
  queued: boolean
  disconnected: AbortSignal | null
  fail: Fail<'DEADLINE_EXCEEDED' | 'LIMIT_EXCEEDED'>
}

/** The facts that an answer has established so far. */
type Facts = AnswerFacts & { quoteIds: string[] }

/** An answer that is being written. It continues to its end, with or without readers. */
type RunningReply = { streamId: string; finished: Promise<Message> }

/**
 * Stores the caller's messages, then lets the assistant write its answer piece by piece into a stored stream.
 * The messages after the last assistant message of the request are new; those before are context of this answer only.
 * While another answer of the session is open, the request fails with ALREADY_EXISTS, or is queued where it wants that.
 */
export async function startReply(
  ports: Pick<Ports, ReplyPorts>,
  { messages: request, when_busy, on_disconnect }: Pick<Input, 'messages' | 'when_busy' | 'on_disconnect'>,
  { principal: caller, holder, disconnected, fail }: ChatCall,
): Promise<RunningReply> {
  if (request.at(-1)?.role !== 'user')
    throw invalid(`messages.${request.length - 1}.role`, 'the last message must be from the user')
  const { sessionId } = caller
  const answer = { id: ports.ids.uuid(), sessionId, messages: newMessages(request), at: ports.clock.now() }
  const opened = await ports.chatStreams.open(answer, when_busy === 'queue' ? bounds.queuedAnswers : 0)
  if (typeof opened === 'object') {
    const { streamId, waiting } = opened
    const advice =
      waiting === 0
        ? 'Read it with chat.resume, stop it with chat.stop, or send when_busy queue to wait for it.'
        : `${waiting} more are queued. Read it with chat.resume, or stop one with chat.stop.`
    throw fail('ALREADY_EXISTS', `This session is still writing another answer, ${streamId}. ${advice}`, {
      metadata: { stream_id: streamId, waiting: String(waiting) },
    })
  }
  const stop = on_disconnect === 'stop' ? disconnected : null
  const finished = write(ports, {
    caller,
    holder,
    answer,
    request,
    queued: opened === 'queued',
    disconnected: stop,
    fail,
  })
  return { streamId: answer.id, finished }
}

/** The messages of a request that the session does not have yet. */
function newMessages(request: readonly Message[]): Message[] {
  const lastAssistant = request.findLastIndex((message) => message.role === 'assistant')
  return request.slice(lastAssistant + 1)
}

/** Writes an answer and ends it, whatever happens (invariant 4 of `ChatStreams`). */
async function write(ports: Pick<Ports, ReplyPorts>, job: Job): Promise<Message> {
  const { answer, caller, holder, disconnected } = job
  const stop = new AbortController()
  const abort = () => stop.abort()
  const unsubscribe = [
    ports.chatStreams.onStop(answer.id, abort),
    ports.sessions.onDeleted(caller.sessionId, abort),
    // What a stolen token has queued ends with it.
    ...(holder === null
      ? []
      : [
          ports.accounts.onTokensEnded(holder.userId, holder.generation, abort),
          ports.accounts.onRevoked(holder.token.id, abort),
        ]),
    () => disconnected?.removeEventListener('abort', abort),
  ]
  disconnected?.addEventListener('abort', abort)
  if (disconnected?.aborted) abort()
  const facts: Facts = { quoteIds: [], state: null }
  try {
    const content = await writePieces(ports, job, facts, stop)
    const state = stop.signal.aborted ? 'stopped' : 'done'
    await endAnswer(ports, answer.id, { state, at: ports.clock.now(), facts })
    return { role: 'assistant', content, ...(state === 'stopped' && { incomplete: state }) }
  } catch (failure) {
    const error = storedError(failure)
    await endAnswer(ports, answer.id, { state: 'failed', error, at: ports.clock.now(), facts })
    throw failure
  } finally {
    for (const undo of unsubscribe) undo()
  }
}

/** Writes the pieces of the answer in its turn, until it ends or is stopped. Returns the text that is stored. */
async function writePieces(
  ports: Pick<Ports, ReplyPorts>,
  { answer, caller, request, queued, fail }: Job,
  facts: Facts,
  stop: AbortController,
): Promise<string> {
  const { signal } = stop
  let reply = ''
  const begun = !queued || (await ports.chatStreams.turn(answer, signal))
  if (!begun) stop.abort()
  if (signal.aborted) return reply
  const store = eventWriter(ports.chatStreams, answer.id)
  const swapOf = async (quoteId: string) => {
    const quote = await ports.quotes.find(caller.userId, quoteId)
    return quote === null ? null : swapOfQuote(quote)
  }
  const tools = limitedTools(reportingTools(chatTools(ports, caller, signal, fail), store, swapOf), fail)
  const context = { ...caller, answerId: answer.id, noteQuote: (id: string) => void facts.quoteIds.push(id) }
  try {
    const pieces = converse(ports, context, {
      history: [...(await messagesBefore(ports, answer)), ...request.slice(0, -1).map(withoutFacts)],
      text: request.at(-1)?.content ?? '',
      tools,
      signal,
      report: () => undefined,
      record: (state) => {
        facts.state = state
      },
    })
    for await (const content of pieces) {
      if (signal.aborted) break
      if (await store({ content, facts: null })) reply += content
      else stop.abort()
    }
  } catch (failure) {
    if (!isAbortOf(signal, failure)) throw failure
  }
  return reply
}

/** The newest messages before those that are answered, oldest first. */
async function messagesBefore(ports: Pick<Ports, 'messages'>, { sessionId, messages }: NewAnswer) {
  const newest = await ports.messages.latest(sessionId, bounds.messagesOfContext + messages.length)
  return newest.slice(0, newest.length - messages.length)
}

/** A message as the caller sent it: it is context, and states no facts (invariant 8 of `ChatStreams`). */
function withoutFacts({ role, content }: Message): HistoryMessage {
  return { role, content }
}

/** What of a failure may be stored and shown: the message of a domain error, never the text of another exception. */
function storedError(failure: unknown): StreamError {
  if (!(failure instanceof DomainError) || failure.code === 'INTERNAL')
    return { code: 'INTERNAL', message: 'The assistant failed to answer. Ask again.' }
  const { code, message } = failure
  return { code: isShown(code) ? code : 'UNAVAILABLE', message }
}

function isShown(code: DomainError['code']): code is 'DEADLINE_EXCEEDED' | 'LIMIT_EXCEEDED' | 'STORAGE_FULL' {
  return code === 'DEADLINE_EXCEEDED' || code === 'LIMIT_EXCEEDED' || code === 'STORAGE_FULL'
}

const firstWaitMs = 100
const longestWaitMs = 30_000

/**
 * Ends an answer, again after ever longer waits where the store fails: its session takes no other before. It goes on as
 * long as the process does, and does not keep that alive.
 */
async function endAnswer(
  { chatStreams, clock }: Pick<Ports, 'chatStreams' | 'clock'>,
  streamId: string,
  end: StreamEnd,
): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    const ended = await chatStreams.finish(streamId, end).then(
      () => true,
      () => false,
    )
    if (ended) return
    await clock.wait(waitMs)
  }
}
