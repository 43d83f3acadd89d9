/** The topics by which the parts of a process wake each other over answers. */
export const chatTopics = {
  /** Something of the stream is new. */
  stream: (streamId: string) => `chat-stream:${streamId}`,
  /** Names of a watch, which adds the stream. */
  stop: 'chat-stop',
  /** An answer of the session is over. */
  turn: (sessionId: string) => `chat-turn:${sessionId}`,
}
