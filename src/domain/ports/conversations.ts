export type Message = { role: 'user' | 'assistant'; content: string }

/** The messages of a session, in order. */
export interface Messages {
  /** All or none, and never mixed with another append; NOT_FOUND where the session was deleted meanwhile. */
  append(sessionId: string, messages: readonly Message[], at: Date): Promise<void>
  list(sessionId: string): Promise<Message[]>
  clear(sessionId: string): Promise<void>
}

/** What ended a failed stream; the message is fit for the caller. */
export type StreamError = { code: string; message: string }

export type StreamState = 'running' | 'done' | 'failed' | 'stopped'

/** A piece of an answer; `seq` counts from 1 without gaps. */
export type StreamChunk = { seq: number; content: string }

/** Answers as they are written: stored piece by piece, so that a reader can come back to them. */
export interface ChatStreams {
  create(streamId: string, sessionId: string, at: Date): Promise<void>
  append(streamId: string, chunk: StreamChunk): Promise<void>
  finish(streamId: string, state: Exclude<StreamState, 'running'>, error?: StreamError): Promise<void>
  /** `error` is what `finish` was told, for a stream that failed. */
  find(streamId: string): Promise<{ sessionId: string; state: StreamState; error: StreamError | null } | null>
  /** What follows `afterSeq`, then what is still written, until the stream is finished or the signal aborts. */
  follow(streamId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<StreamChunk>
  /** Asks the process that writes the stream to stop; false where nothing runs. */
  requestStop(streamId: string): Promise<boolean>
  /** Fires when a stop is asked for, by this process or another; answers the function that stops listening. */
  onStop(streamId: string, listener: () => void): () => void
  /** Forgets streams with their pieces that began before the moment; answers how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
  /** Fails running streams that were made before the moment, because their process died; answers how many. */
  failAbandoned(before: Date, error: StreamError): Promise<number>
}
