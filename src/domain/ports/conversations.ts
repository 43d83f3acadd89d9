import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'

/** `incomplete` says why an answer ended early; it is absent where the answer is complete. */
export type Message = { role: 'user' | 'assistant'; content: string; incomplete?: 'stopped' | 'failed' }

/** What an assistant understood and found, as JSON that only it reads, under the name of that format. */
export type AssistantState = { format: string; data: unknown }

/** What an answer established, stored with its message for the answers that follow. */
export type AnswerFacts = {
  /** Ids of the quotes that the answer showed or traded, in this order. */
  quoteIds: readonly string[]
  /** Null where the assistant recorded nothing. */
  state: AssistantState | null
}

/**
 * A message with the facts of the answer. Only answers of the gateway have facts; a message of the request never has.
 */
export type HistoryMessage = Message & { facts?: AnswerFacts }

/** The messages of a session, in order. Only `ChatStreams` writes them. */
export interface Messages {
  /** All messages, oldest first. */
  list(sessionId: string): Promise<Message[]>
  /** The newest ones with their facts, oldest first, `limit` at most. */
  latest(sessionId: string, limit: number): Promise<HistoryMessage[]>
  /** Those with a lower id, or all where `before` is null: newest first, `limit` at most. Ids rise with time. */
  page(sessionId: string, before: number | null, limit: number): Promise<(Message & { id: number })[]>
  /** Deletes them, with every answer of the session and the quotes that it showed (invariant 6 of `ChatStreams`). */
  clear(sessionId: string): Promise<void>
  /** Deletes messages from before the time, oldest first; returns how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
}

/** Why an answer failed; the message is for the caller. */
export type StreamError = {
  code: 'INTERNAL' | 'UNAVAILABLE' | 'DEADLINE_EXCEEDED' | 'LIMIT_EXCEEDED' | 'STORAGE_FULL'
  message: string
}

export type StreamState = 'queued' | 'running' | 'done' | 'failed' | 'stopped'

/** How an answer ends, and the facts that are stored with its message. */
export type StreamEnd = { at: Date; facts?: AnswerFacts } & (
  | { state: 'done' | 'stopped' }
  | { state: 'failed'; error: StreamError }
)

/** The fields of an event other than text, as the contract names them. */
export type StreamFacts = Omit<OutputOf<typeof contract.chat.stream>, 'id' | 'role' | 'content'>

/** A piece of an answer: text, or empty text with facts. `seq` counts from 1. */
export type StreamChunk = { seq: number; content: string; facts: StreamFacts | null }

/** An answer to write, and the messages that it responds to. */
export type NewAnswer = { id: string; sessionId: string; messages: readonly Message[]; at: Date }

/** The open answer of the session that is first in the queue, and how many are queued behind it. */
type Busy = { streamId: string; waiting: number }

export type StoredStream = { sessionId: string; state: StreamState; error: StreamError | null; lastSeq: number }

/**
 * Answers as they are written: stored piece by piece, so that a reader can come back to them.
 *
 *     queued → running → done | failed | stopped
 *
 * A queued answer can also fail or be stopped. Clearing the history, or deleting the session, deletes its answers.
 *
 * Invariants, which hold over all processes of a database:
 * 1. A session has one running answer at most. Queued answers begin in the order in which they were opened.
 * 2. The messages of a request are stored as its answer starts, and the message of the answer as it ends.
 * 3. Pieces are numbered from 1 without a gap, and are stored only while the answer is running.
 * 4. An answer ends once: its end state, its error and its pieces do not change afterwards.
 * 5. The message of an answer is the text of its pieces, however it ended. Without text there is no message.
 * 6. Of a cleared answer nothing remains, and nothing is stored for it any more.
 * 7. An answer whose process died is failed by its next reader, the next answer of its session, or the next start.
 * 8. The facts of an answer are stored with its message, by the gateway alone.
 */
export interface ChatStreams {
  /**
   * Starts an answer, or queues it behind at most `most` others; the history then has nothing of it yet. NOT_FOUND
   * where the session is deleted, LIMIT_EXCEEDED where its history is full, STORAGE_FULL where its
   * account keeps as much as it may.
   */
  open(answer: NewAnswer, most: number): Promise<'running' | 'queued' | Busy>
  /**
   * Waits until a queued answer is the next one, and starts it; false where it was stopped or cleared, or the signal
   * aborts.
   */
  turn(answer: NewAnswer, signal: AbortSignal): Promise<boolean>
  /**
   * Stores a piece; false where the answer has ended or was cleared. Call it for one piece at a time, in the order of
   * `seq`.
   */
  append(streamId: string, chunk: StreamChunk): Promise<boolean>
  /** Ends an answer; one that has ended stays as it is. */
  finish(streamId: string, end: StreamEnd): Promise<void>
  find(streamId: string): Promise<StoredStream | null>
  /** The pieces after `afterSeq`, and those still being written, until the answer ends or the signal aborts. */
  follow(streamId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<StreamChunk>
  /** Requests the process that writes the answer to stop; false where it has ended. */
  requestStop(streamId: string): Promise<boolean>
  /**
   * Calls the listener when a stop is requested or the answer was cleared, by any process. Returns what removes the
   * listener.
   */
  onStop(streamId: string, listener: () => void): () => void
  /** Deletes answers that began before the time, with their pieces; returns how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
  /** Fails the answers of processes that died; returns how many. None where this process may not judge that yet. */
  failAbandoned(at: Date): Promise<number>
}

/** A quote that an answer has shown in a session, so that it can be confirmed there. */
export type Offer = {
  quoteId: string
  sessionId: string
  /** The wallet named in the request for the quote; null where none was named. */
  walletRef: string | null
  offeredAt: Date
}

/** Quotes shown in sessions. An offer is deleted with its quote, its session, or the history of the session. */
export interface Offers {
  /** Stores a quote that an answer has shown; does nothing where the answer has ended or was cleared. */
  save(offer: Omit<Offer, 'sessionId'>, answerId: string): Promise<void>
  /** Null where the quote was not shown in this session, even if it was in another. */
  find(sessionId: string, quoteId: string): Promise<Offer | null>
  /** The quotes that were shown in the session at the moment or later. */
  since(sessionId: string, moment: Date): Promise<Offer[]>
}
