import type { WebSocket } from 'ws'
import { bounds } from '../../contract/shared/limits.ts'
import type { Caller } from '../../gateway/request.ts'
import { refuse, respondToAll } from './batch.ts'
import { parsedFrame } from './body.ts'
import type { RpcContext } from './message.ts'
import { createSubscriptions } from './subscriptions.ts'

export type ConnectionParts = {
  context: RpcContext
  /** Who connected. Each message gets its own request id and signal. */
  caller: Caller
}

export type Connection = {
  /** Sends a ping, and closes a connection from which nothing came since the last one. */
  beat(): void
  /** Finishes running requests, then closes with 1001. Settles once the socket is closed. */
  close(): Promise<void>
  terminate(): void
}

/** Serves one socket. Requests run concurrently up to a bound; beyond it no more are read. Events are sent in between. */
export function serveConnection(socket: WebSocket, parts: ConnectionParts): Connection {
  const outbox = createOutbox(socket)
  const subscriptions = createSubscriptions(parts.context, {
    notify(subscription, result) {
      const params = `{"subscription":"${subscription}","result":${result}}`
      if (!outbox.notify(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)) dropReader()
    },
    broken: (error) => shut(error.code === 'INTERNAL' ? 1011 : 1013, error.message),
  })
  const dropReader = () => shut(1013, 'Events were read too slowly. Connect and subscribe again.')
  const context = { ...parts.context, subscriptions }
  const waiting: Buffer[] = []
  const running = new Map<AbortController, Promise<void>>()
  let messages = 0
  let alive = true

  function work(): void {
    while (running.size < bounds.socketRequests) {
      const frame = waiting.shift()
      if (frame === undefined) break
      const ending = new AbortController()
      const done = serve(frame, ending.signal).finally(() => {
        running.delete(ending)
        work()
      })
      running.set(ending, done)
    }
    if (waiting.length > 0) socket.pause()
    else if (socket.isPaused) socket.resume()
  }

  /** Settles when the response has been sent, so that a caller that does not read its responses cannot send more requests. */
  async function serve(frame: Buffer, signal: AbortSignal): Promise<void> {
    messages += 1
    const requestId = `${parts.caller.requestId}.${messages}`
    const caller = { ...parts.caller, requestId, signal, bytes: frame.length }
    const parsed = parsedFrame(frame)
    const { text, begin } =
      'error' in parsed
        ? await refuse(context, parsed.error, caller)
        : await respondToAll(context, parsed.message, caller)
    await outbox.respond(text, begin)
    alive = true
  }

  /** Ignores all further messages. They are still read, because the client's close frame comes after them. */
  function stopReceiving(): void {
    socket.off('message', receive)
    waiting.length = 0
    socket.resume()
  }

  function shut(code: number, reason: string): void {
    stopReceiving()
    subscriptions.end()
    socket.close(code, clipped(reason))
  }

  function receive(frame: unknown): void {
    alive = true
    waiting.push(frame as Buffer) // as the socket's binaryType says
    work()
  }

  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      stopReceiving()
      subscriptions.end()
      for (const ending of running.keys()) ending.abort()
      resolve()
    })
  })
  socket.on('message', receive)
  socket.on('pong', () => {
    alive = true
  })
  socket.on('error', () => undefined) // the socket closes itself with the right code

  return {
    beat() {
      // A closing socket ends by its own timeout; until then its reader may still read the reason.
      if (socket.readyState !== socket.OPEN) return
      if (!alive && outbox.backlog > 0) return dropReader()
      // A paused socket receives no pong, so it stays open, except where its reader does not read responses.
      if (!alive && (outbox.busy || !socket.isPaused)) socket.terminate()
      alive = false
      socket.ping()
    },
    async close() {
      stopReceiving()
      await Promise.race([Promise.all(running.values()), closed])
      shut(1001, 'The server is closing. Connect again.')
      await closed
    },
    terminate: () => socket.terminate(),
  }
}

/** A close reason has at most 123 bytes. */
function clipped(reason: string): string {
  const bytes = Buffer.from(reason)
  return bytes.length <= 123
    ? reason
    : `${bytes
        .subarray(0, 120)
        .toString()
        .replace(/\uFFFD+$/, '')}...`
}

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

function createOutbox(socket: WebSocket): Outbox {
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
