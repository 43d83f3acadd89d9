import type { WebSocket } from 'ws'
import { bounds } from '../../contract/shared/limits.ts'

/** Sends to a socket with bounded buffers: responses one by one, events up to a backlog, and one pong at a time. */
type Outbox = {
  /** Settles when the response has been sent, or cannot be; null is no response. `begin` is called once it is being sent. */
  respond(text: string | null, begin: () => void): Promise<void>
  /** False where the backlog has no room for the event; it is not sent then. */
  notify(text: string): boolean
  /** True while a response is being sent. */
  readonly busy: boolean
  /** Bytes of the events that have not been sent yet. */
  readonly backlog: number
}

export function createOutbox(socket: WebSocket): Outbox {
  let lastResponse = Promise.resolve()
  let busy = false
  let backlog = 0

  /** A response may be larger than the backlog of events. */
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
    async respond(text, begin) {
      lastResponse = lastResponse.then(async () => await write(text, begin))
      await lastResponse
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

/** At most one pong is buffered, for the latest ping: pongs to a client that does not read must not fill the memory. */
function answerPings(socket: WebSocket): void {
  let latest: Buffer | null = null
  let pending = false
  const respond = () => {
    if (latest === null || pending) return
    const data = latest
    latest = null
    pending = true
    socket.pong(data, false, () => {
      pending = false
      respond()
    })
  }
  socket.on('ping', (data) => {
    latest = data
    respond()
  })
}
