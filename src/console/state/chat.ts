import { signal } from '@preact/signals'
import type { ChatMessage, ChatStreamEvent, Quote, QuotedSwap, RiskReport } from '../../../generated/client/index.d.ts'
import { gateway, streamed } from '../gateway/client.ts'
import { type Failure, failureOf } from '../gateway/failures.ts'
import { whileShown } from '../gateway/streams.ts'
import { sessionRefused } from './session.ts'

/** What an answer shows besides its text. */
export type Card = { kind: 'quote'; quote: Quote; swap: QuotedSwap } | { kind: 'risk'; risk: RiskReport }

/** A message of the conversation, with what came with it while it was written. */
export type Turn = {
  role: 'user' | 'assistant'
  content: string
  incomplete?: 'stopped' | 'failed' | undefined
  cards: readonly Card[]
  /** Where the data of its tools came from. */
  sources: readonly string[]
  /** The tool that runs at the moment. */
  tool?: string | undefined
  error?: string | undefined
}

/** Messages of a page of the history. */
const pageSize = 50

/** The conversation, oldest first. */
export const turns = signal<readonly Turn[]>([])

/** Where the messages before the shown ones begin; null where there are none. */
export const earlier = signal<string | null>(null)

/** True while an answer is written. */
export const answering = signal(false)

/** The stream that is being written, once it has a name. */
let streamId: string | null = null

/** Reads the newest messages, once for each session. */
export async function readConversation(): Promise<void> {
  if (turns.value.length > 0) return
  const { messages, next_cursor } = await gateway.chat.history.query({ limit: pageSize })
  turns.value = messages.map(storedTurn)
  earlier.value = next_cursor ?? null
}

/** Forgets the conversation of a session that has ended. */
export function forgetConversation(): void {
  turns.value = []
  earlier.value = null
}

/** Reads the messages before the shown ones. */
export async function readEarlier(): Promise<void> {
  if (earlier.value === null) return
  const { messages, next_cursor } = await gateway.chat.history.query({ limit: pageSize, cursor: earlier.value })
  turns.value = [...messages.map(storedTurn), ...turns.value]
  earlier.value = next_cursor ?? null
}

/** Deletes the conversation. */
export async function clearConversation(): Promise<void> {
  await gateway.chat.clear.mutate({})
  forgetConversation()
}

/** Stops the answer that is being written. */
export async function stopAnswer(): Promise<void> {
  if (streamId !== null) await gateway.chat.stop.mutate({ stream_id: streamId })
}

/**
 * Sends a message and takes the answer piece by piece. The gateway goes on writing without a reader, so a connection that
 * is lost, or given back while the page is hidden, is taken up after the last piece.
 */
export async function say(content: string): Promise<void> {
  if (answering.value) return
  answering.value = true
  streamId = null
  const empty = { cards: [], sources: [] }
  turns.value = [...turns.value, { role: 'user', content, ...empty }, { role: 'assistant', content: '', ...empty }]
  try {
    await readAnswer(content)
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === 'UNAUTHENTICATED') sessionRefused()
    changeLast((turn) => ({ ...turn, error: failure.text }))
  } finally {
    changeLast((turn) => ({ ...turn, tool: undefined }))
    answering.value = false
  }
}

/** Resolves when the answer has ended, rejects where it cannot be read. */
async function readAnswer(content: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let last: string | null = null
  let phase: 'new' | 'first' | 'later' | 'ended' = 'new'
  let shownNow = new AbortController().signal
  const take = (event: ChatStreamEvent) => {
    last = event.id
    streamId = event.id.split(':')[0] ?? null
    apply(event)
    if (event.event === 'done' || event.event === 'error') finish()
  }
  const finish = () => {
    phase = 'ended'
    resolve()
  }
  const goOn = (after: string) => {
    const input = { stream_id: after.split(':')[0] ?? '', after_id: after, events: true }
    const readers = { onData: ({ data }: { data: ChatStreamEvent }) => take(data), onComplete: finish, onError: reject }
    const stream = gateway.chat.resume.subscribe(input, readers)
    shownNow.addEventListener('abort', () => stream.unsubscribe(), { once: true })
  }
  // The first connection is kept until the answer has an id, even while hidden: without one it cannot be taken up.
  const begin = async () => {
    phase = 'first'
    const connection = new AbortController()
    try {
      for await (const event of await beginAnswer(content, connection.signal)) {
        take(event)
        if (document.hidden) return
      }
      finish()
    } catch (error) {
      if (last === null || !isCut(failureOf(error))) reject(error)
    } finally {
      connection.abort()
      if (phase === 'first') phase = 'later'
      if (phase === 'later' && last !== null && !document.hidden) goOn(last)
    }
  }
  const end = whileShown((shown) => {
    shownNow = shown
    if (phase === 'new') void begin()
    else if (phase === 'later' && last !== null) goOn(last)
  })
  await promise.finally(end)
}

async function beginAnswer(content: string, signal: AbortSignal): Promise<AsyncIterable<ChatStreamEvent>> {
  return await gateway.chat.stream.mutate({ messages: [{ role: 'user', content }], events: true }, streamed(signal))
}

function isCut({ code }: Failure): boolean {
  return code === 'UNREACHABLE' || code === 'UNAVAILABLE'
}

function apply(event: ChatStreamEvent): void {
  const { quote, swap, risk, source, tool, error } = event
  changeLast((turn) => {
    if (event.event === 'tool_started') return { ...turn, tool }
    if (event.event === 'tool_result') return { ...turn, tool: undefined, sources: withNew(turn.sources, source) }
    if (quote !== undefined && swap !== undefined)
      return { ...turn, cards: [...turn.cards, { kind: 'quote', quote, swap }] }
    if (risk !== undefined) return { ...turn, cards: [...turn.cards, { kind: 'risk', risk }] }
    if (error !== undefined) return { ...turn, incomplete: 'failed', error: error.message }
    if (event.ended === 'stopped') return { ...turn, incomplete: 'stopped' }
    return { ...turn, content: turn.content + event.content }
  })
}

function storedTurn(message: ChatMessage): Turn {
  return { ...message, cards: [], sources: [] }
}

function withNew(sources: readonly string[], source: string | undefined): readonly string[] {
  return source === undefined || sources.includes(source) ? sources : [...sources, source]
}

function changeLast(change: (turn: Turn) => Turn): void {
  const last = turns.value.at(-1)
  if (last !== undefined) turns.value = [...turns.value.slice(0, -1), change(last)]
}
