import type { contract } from '../../contract/index.ts'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'

/** `incomplete` tells why an answer ends early; absent where it is whole. */
export type Message = { role: 'user' | 'assistant'; content: string; incomplete?: 'stopped' | 'failed' }

/** The messages of a session, in order. They are written by its answers alone: see ChatStreams. */
export interface Messages {
  /** All of them, oldest first. */
  list(sessionId: string): Promise<Message[]>
  /** Those before the id, which rises with time, or before the end where it is null: newest first, `limit` at most. */
  page(sessionId: string, before: number | null, limit: number): Promise<(Message & { id: number })[]>
  /**
   * Forgets them with every answer of the session and the quotes that it was shown: an answer that is being written can
   * store nothing any more.
   */
  clear(sessionId: string): Promise<void>
}

/** What ended a failed stream; the message is fit for the caller. */
export type StreamError = { code: ErrorCode; message: string }

export type StreamState = 'queued' | 'running' | 'done' | 'failed' | 'stopped'

export type StreamEnd = { state: 'done' | 'stopped'; at: Date } | { state: 'failed'; error: StreamError; at: Date }

/** What an event of an answer tells beside text, in the words of the contract. */
export type StreamFacts = Omit<OutputOf<typeof contract.chat.stream>, 'id' | 'role' | 'content'>

/** A piece of an answer: text, or empty text with facts. `seq` counts from 1. */
export type StreamChunk = { seq: number; content: string; facts: StreamFacts | null }

/** An answer to be written, and the messages that it answers. */
export type NewAnswer = { id: string; sessionId: string; messages: readonly Message[]; at: Date }

/** The answer that is in the way, and how many wait for it. */
export type Busy = { streamId: string; waiting: number }

export type StoredStream = { sessionId: string; state: StreamState; error: StreamError | null; lastSeq: number }

/**
 * Answers as they are written: stored piece by piece, so that a reader can come back to them. A session has one at a
 * time, in whichever process. What was streamed is what its history keeps: the messages are stored as their answer
 * begins, and the text of its pieces as it ends, however it ends.
 */
export interface ChatStreams {
  /**
   * Begins an answer, or puts it in line behind at most `most` others; `queued` then means that nothing of it is in the
   * history yet. NOT_FOUND where the session is deleted, LIMIT_EXCEEDED where its history is full.
   */
  open(answer: NewAnswer, most: number): Promise<'running' | 'queued' | Busy>
  /** Waits for the turn of a queued answer and begins it; false where it was stopped or cleared, or the signal aborts. */
  turn(answer: NewAnswer, signal: AbortSignal): Promise<boolean>
  /** False where the answer is over or cleared: nothing is stored then. One at a time, in the order of `seq`. */
  append(streamId: string, chunk: StreamChunk): Promise<boolean>
  /** Ends an answer; one that is over stays as it is. */
  finish(streamId: string, end: StreamEnd): Promise<void>
  find(streamId: string): Promise<StoredStream | null>
  /** What follows `afterSeq`, then what is still written, until the stream is finished or the signal aborts. */
  follow(streamId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<StreamChunk>
  /** Asks the process that writes the stream to stop; false where nothing runs. */
  requestStop(streamId: string): Promise<boolean>
  /** Fires when a stop is asked for or the stream is gone, by this process or another; answers what stops listening. */
  onStop(streamId: string, listener: () => void): () => void
  /** Forgets streams with their pieces that began before the moment; answers how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
  /** Fails the answers of processes that died; answers how many. */
  failAbandoned(at: Date): Promise<number>
}
