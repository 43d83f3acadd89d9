import type { WebSocket } from 'ws'
import { bounds } from '../../contract/shared/limits.ts'

/** What leaves a socket, bounded: answers one by one, events as far as they may wait, and one pong at a time. */
export type Outbox = {
  /** Settles when the answer has left, or never can; null is no answer. `begin` is called as soon as it is on its way. */
  answer(text: string | null, begin: () => void): Promise<void>
  /** False where the event would be one too many for the reader; it is not sent then. */
  notify(text: string): boolean
  /** True while an answer is on its way. */
  readonly busy: boolean
  /** The bytes of the events that wait. */
  readonly backlog: number
}

export function createOutbox(socket: WebSocket): Outbox {
  let lastAnswer = Promise.resolve()
  let busy = false
  let backlog = 0

  /** An answer alone may be larger than what events may take. */
  async function write(text: string | null, begin: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    busy = true
    if (text === null) resolve()
    else socket.send(text, () => resolve())
    begin()
    await promise
    busy = false
  }

  answerPings(socket)
  return {
    async answer(text, begin) {
      lastAnswer = lastAnswer.then(async () => await write(text, begin))
      await lastAnswer
    },
    notify(text) {
      const bytes = Buffer.byteLength(text)
      if (backlog + bytes > bounds.socketBacklogBytes) return false
      backlog += bytes
      socket.send(text, () => {
        backlog -= bytes
      })
      return true
    },
    get busy() {
      return busy
    },
    get backlog() {
      return backlog
    },
  }
}

/** One pong waits at a time, for the latest ping: pongs that nobody reads must not fill the memory. */
function answerPings(socket: WebSocket): void {
  let latest: Buffer | null = null
  let waits = false
  const answer = () => {
    if (latest === null || waits) return
    const data = latest
    latest = null
    waits = true
    socket.pong(data, false, () => {
      waits = false
      answer()
    })
  }
  socket.on('ping', (data) => {
    latest = data
    answer()
  })
}
