/** Signal topics for the answers of sessions. */
export const chatTopics = {
  /** The answer has a new piece or a new state. */
  stream: (streamId: string) => `chat-stream:${streamId}`,
  /** Name of the watch for stop requests, which adds the id of the stream. */
  stop: 'chat-stop',
  /** An answer of the session has ended. */
  turn: (sessionId: string) => `chat-turn:${sessionId}`,
}
