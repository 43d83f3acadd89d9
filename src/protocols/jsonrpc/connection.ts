import type { WebSocket } from 'ws'
import { bounds } from '../../contract/shared/limits.ts'
import type { Caller } from '../../gateway/request.ts'
import { answerAll, refused } from './batch.ts'
import { parsedFrame } from './body.ts'
import { failed, type RpcContext } from './message.ts'
import { createOutbox } from './outbox.ts'
import { createSubscriptions } from './subscriptions.ts'

export type ConnectionParts = {
  context: RpcContext
  /** Who connected; each message gets a request id and a signal of its own. */
  caller: Caller
}

export type Connection = {
  /** Asks for a sign of life, and cuts a connection that gave none since the last time. */
  beat(): void
  /** Finishes what is being answered, then closes with 1001. Settles once the socket is closed. */
  close(): Promise<void>
  terminate(): void
}

/** Serves one socket: requests are answered concurrently up to a bound and then not read; events come in between. */
export function serveConnection(socket: WebSocket, parts: ConnectionParts): Connection {
  const outbox = createOutbox(socket)
  const subscriptions = createSubscriptions(parts.context, {
    notify(subscription, result) {
      const params = `{"subscription":"${subscription}","result":${result}}`
      if (!outbox.notify(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)) letGo()
    },
    broken: (error) => shut(error.code === 'INTERNAL' ? 1011 : 1013, error.message),
  })
  const letGo = () => shut(1013, 'Events were read too slowly; connect and subscribe again.')
  const context = { ...parts.context, subscriptions }
  const waiting: Buffer[] = []
  const running = new Map<AbortController, Promise<void>>()
  let messages = 0
  let alive = true

  function work(): void {
    while (running.size < bounds.socketRequests) {
      const frame = waiting.shift()
      if (frame === undefined) break
      const leaving = new AbortController()
      const done = answer(frame, leaving.signal).finally(() => {
        running.delete(leaving)
        work()
      })
      running.set(leaving, done)
    }
    if (waiting.length > 0) socket.pause()
    else if (socket.isPaused) socket.resume()
  }

  /** Done when the answer has left, so that a caller which does not read its answers cannot go on asking. */
  async function answer(frame: Buffer, signal: AbortSignal): Promise<void> {
    messages += 1
    const caller = { ...parts.caller, requestId: `${parts.caller.requestId}.${messages}`, signal }
    const parsed = parsedFrame(frame)
    const { text, begin } =
      'error' in parsed ? refused(failed(null, parsed.error)) : await answerAll(context, parsed.message, caller)
    await outbox.answer(text, begin)
    alive = true
  }

  /** From here on nothing is taken in; what the other side still sends is read, to find its goodbye. */
  function stopTaking(): void {
    socket.off('message', take)
    waiting.length = 0
    socket.resume()
  }

  function shut(code: number, reason: string): void {
    stopTaking()
    subscriptions.end()
    socket.close(code, clipped(reason))
  }

  function take(frame: unknown): void {
    alive = true
    waiting.push(frame as Buffer) // as the socket's binaryType says
    work()
  }

  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      stopTaking()
      subscriptions.end()
      for (const leaving of running.keys()) leaving.abort()
      resolve()
    })
  })
  socket.on('message', take)
  socket.on('pong', () => {
    alive = true
  })
  socket.on('error', () => undefined) // the socket closes itself, with the code of what was wrong

  return {
    beat() {
      // Once it is closed it is cut by itself, and until then its reader may come for the reason.
      if (socket.readyState !== socket.OPEN) return
      if (!alive && outbox.backlog > 0) return letGo()
      // A caller that is not read cannot show life, unless it is the one who does not read.
      if (!alive && (outbox.busy || !socket.isPaused)) socket.terminate()
      alive = false
      socket.ping()
    },
    async close() {
      stopTaking()
      await Promise.race([Promise.all(running.values()), closed])
      shut(1001, 'The server is closing; connect again.')
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
