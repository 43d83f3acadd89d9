import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A WebSocket to a JSON-RPC server. */
export type RpcSocket = {
  socket: WebSocket
  send(message: unknown): void
  /** Sends a request and returns its response; other messages wait for `next`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  ask(method: string, params?: unknown): Promise<any>
  /** The next message that no request has received. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  next(): Promise<any>
  closed: Promise<{ code: number; reason: string }>
}

/** Connects; a refused handshake rejects with `{status, headers, body}`. */
export async function openRpcSocket(url: string, options: WebSocket.ClientOptions = {}): Promise<RpcSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options)
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  const responses = new Map<unknown, (response: unknown) => void>()
  const messages: unknown[] = []
  const readers: ((message: unknown) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    const asked = responses.get(message.id)
    if (asked !== undefined) asked(message)
    else if (readers.length > 0) readers.shift()?.(message)
    else messages.push(message)
  })
  await opened(socket)
  let count = 0
  const send = (message: unknown) =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
  return {
    socket,
    send,
    async ask(method, params = []) {
      const id = `ask-${++count}`
      const { promise, resolve } = Promise.withResolvers<unknown>()
      responses.set(id, resolve)
      send({ jsonrpc: '2.0', id, method, params })
      return await promise.finally(() => responses.delete(id))
    },
    async next() {
      if (messages.length > 0) return messages.shift()
      return await new Promise((resolve) => readers.push(resolve))
    },
    closed,
  }
}

async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('open', () => resolve())
  socket.on('error', reject)
  socket.once('unexpected-response', async (_request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    reject({ status: response.statusCode, headers: response.headers, body: JSON.parse(String(Buffer.concat(chunks))) })
  })
  await promise
}
