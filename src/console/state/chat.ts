import { signal } from '@preact/signals'
import type { ChatMessage, ChatStreamEvent, Quote, QuotedSwap, RiskReport } from '../../../generated/client/index.d.ts'
import { readAnswer, resumeAnswer } from '../gateway/answers.ts'
import { gateway } from '../gateway/client.ts'
import { failureOf } from '../gateway/failures.ts'

/** What an answer shows besides its text. A swap that the gateway did not name cannot be simulated. */
export type Card =
  | { kind: 'quote'; quote: Quote; swap: QuotedSwap | undefined; wallet: string }
  | { kind: 'risk'; risk: RiskReport }

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
/** Where the tab keeps the stream of the answer that is being written, for a reload. */
const key = 'trident-answer'

/** The conversation, oldest first. */
export const turns = signal<readonly Turn[]>([])

/** Where the messages before the shown ones begin; null where there are none. */
export const earlier = signal<string | null>(null)

/** True while an answer is written. */
export const answering = signal(false)

/** The conversation of this session; aborted when the session ends, so that nothing of it reaches the next one. */
let talk = new AbortController()
let isRead = false
/** The stream that is being written, once it has a name. */
let streamId: string | null = null
let isToStop = false

/** Reads the newest messages, once for each session, and an answer that was being written before a reload. */
export async function readConversation(): Promise<void> {
  if (isRead) return
  const { signal: mine } = talk
  const { messages, next_cursor } = await gateway.chat.history.query({ limit: pageSize })
  if (mine.aborted || isRead) return
  isRead = true
  turns.value = messages.map(storedTurn)
  earlier.value = next_cursor ?? null
  const open = sessionStorage.getItem(key)
  if (open !== null && messages.at(-1)?.role === 'user') void write((take) => resumeAnswer(open, take, mine))
}

/** Reads the messages before the shown ones. */
export async function readEarlier(): Promise<void> {
  const { signal: mine } = talk
  if (earlier.value === null) return
  const { messages, next_cursor } = await gateway.chat.history.query({ limit: pageSize, cursor: earlier.value })
  if (mine.aborted) return
  turns.value = [...messages.map(storedTurn), ...turns.value]
  earlier.value = next_cursor ?? null
}

/** Deletes the conversation. */
export async function clearConversation(): Promise<void> {
  const { signal: mine } = talk
  await gateway.chat.clear.mutate({})
  if (mine.aborted) return
  turns.value = []
  earlier.value = null
}

/** Forgets the conversation of a session that has ended. */
export function forgetConversation(): void {
  talk.abort()
  talk = new AbortController()
  isRead = false
  endWriting()
  turns.value = []
  earlier.value = null
}

/** Stops the answer that is being written, at once or as soon as it has a name. */
export async function stopAnswer(): Promise<void> {
  isToStop = true
  if (streamId !== null) await gateway.chat.stop.mutate({ stream_id: streamId })
}

/** Sends a message and shows the answer as it is written. Where another answer is being written, it waits for its turn. */
export async function say(content: string): Promise<void> {
  if (answering.value) return
  const { signal: mine } = talk
  turns.value = [...turns.value, storedTurn({ role: 'user', content })]
  await write((take) => readAnswer(content, take, mine))
}

type Take = (event: ChatStreamEvent) => void

/** Adds an answer and shows it as it is read. */
async function write(read: (take: Take) => Promise<void>): Promise<void> {
  const { signal: mine } = talk
  answering.value = true
  turns.value = [...turns.value, storedTurn({ role: 'assistant', content: '' })]
  try {
    await read((event) => mine.aborted || take(event))
  } catch (error) {
    if (!mine.aborted) changeLast((turn) => ({ ...turn, error: failureOf(error).text }))
  }
  if (mine.aborted) return
  changeLast((turn) => ({ ...turn, tool: undefined }))
  endWriting()
}

function take(event: ChatStreamEvent): void {
  if (streamId === null) {
    streamId = event.id.split(':')[0] ?? null
    sessionStorage.setItem(key, streamId ?? '')
    // Where it cannot be stopped any more, its end comes anyway.
    if (isToStop) void stopAnswer().catch(() => undefined)
  }
  changeLast((turn) => changed(turn, event))
}

function endWriting(): void {
  answering.value = false
  streamId = null
  isToStop = false
  sessionStorage.removeItem(key)
}

/** An answer after one more event. */
function changed(turn: Turn, event: ChatStreamEvent): Turn {
  const { quote, swap, wallet_ref: wallet = '', risk, source, tool, error } = event
  if (event.event === 'tool_started') return { ...turn, tool }
  if (event.event === 'tool_result') return { ...turn, tool: undefined, sources: withNew(turn.sources, source) }
  if (quote !== undefined) return { ...turn, cards: [...turn.cards, { kind: 'quote', quote, swap, wallet }] }
  if (risk !== undefined) return { ...turn, cards: [...turn.cards, { kind: 'risk', risk }] }
  if (error !== undefined) return { ...turn, incomplete: 'failed', error: error.message }
  if (event.ended === 'stopped') return { ...turn, incomplete: 'stopped' }
  return { ...turn, content: turn.content + event.content }
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
