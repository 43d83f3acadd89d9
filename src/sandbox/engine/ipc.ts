import { connect, type Socket } from 'node:net'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'

/** One connection to the engine, shared by concurrent calls. */
export type Ipc = {
  call: (method: string, params?: unknown, timeoutMs?: number) => Promise<unknown>
  close: () => void
  closed: Promise<void>
  connected: () => boolean
}

type PendingCall = { resolve: (result: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }
type Response = { id?: number; result?: unknown; error?: { code: number; message: string; data?: unknown } }

const newline = 0x0a

/** Connects to the engine's socket. Requests and responses are lines of JSON, matched by id. */
export async function connectIpc(path: string): Promise<Ipc> {
  const socket = await open(path)
  const pending = new Map<number, PendingCall>()
  let lastId = 0
  let partial: Buffer[] = []
  let unsent = ''

  /** Calls of one turn of the event loop share one write, which is the most expensive part of a call. */
  function send(line: string): void {
    if (unsent === '') setImmediate(flush)
    unsent += line
  }

  function flush(): void {
    socket.write(unsent)
    unsent = ''
  }

  function settle(line: string): void {
    const { id = -1, result, error } = JSON.parse(line) as Response
    const call = pending.get(id)
    if (!call) return
    pending.delete(id)
    clearTimeout(call.timer)
    if (error) call.reject(new RpcError(error.code, error.message, error.data))
    else call.resolve(result)
  }

  socket.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...partial, chunk.subarray(from, end)]).toString()
      partial = []
      from = end + 1
      if (line.trim()) settle(line)
    }
    if (from < chunk.length) partial.push(chunk.subarray(from))
  })
  // 'close' always follows 'error' and rejects the pending calls.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('close', () => {
    for (const call of pending.values()) {
      clearTimeout(call.timer)
      call.reject(engineUnavailable())
    }
    pending.clear()
  })

  return {
    call: (method, params = [], timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(engineUnavailable())
        lastId += 1
        const id = lastId
        const timer = setTimeout(() => {
          pending.delete(id)
          reject(new RpcError(-32002, `the chain engine did not respond to ${method} in time`, { retryable: true }))
        }, timeoutMs)
        pending.set(id, { resolve, reject, timer })
        send(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      }),
    close: () => socket.destroy(),
    closed,
    connected: () => !socket.destroyed,
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}
