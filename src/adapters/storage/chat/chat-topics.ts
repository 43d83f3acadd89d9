/** The topics of notifications about answers within a process. */
export const chatTopics = {
  /** The stream has a new piece or state. */
  stream: (streamId: string) => `chat-stream:${streamId}`,
  /** The name of a watch; the stream's id follows. */
  stop: 'chat-stop',
  /** An answer of the session has ended. */
  turn: (sessionId: string) => `chat-turn:${sessionId}`,
}
