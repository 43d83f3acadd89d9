import { connect, type Socket } from 'node:net'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'

/** One connection to the engine, shared by any number of calls at once. */
export type Ipc = {
  call: (method: string, params?: unknown, timeoutMs?: number) => Promise<unknown>
  close: () => void
  closed: Promise<void>
  connected: () => boolean
}

type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }
type Answer = { id?: number; result?: unknown; error?: { code: number; message: string; data?: unknown } }

const newline = 0x0a

/** Connects to the engine's socket, where requests and answers are JSON lines matched by id. */
export async function connectIpc(path: string): Promise<Ipc> {
  const socket = await open(path)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let partial: Buffer[] = []
  let unsent = ''

  /** What is asked in one turn of the event loop leaves by one write, which is the dearest part of a question. */
  function send(line: string): void {
    if (unsent === '') setImmediate(flush)
    unsent += line
  }

  function flush(): void {
    socket.write(unsent)
    unsent = ''
  }

  function settle(line: string): void {
    const answer = JSON.parse(line) as Answer
    const entry = answer.id === undefined ? undefined : waiting.get(answer.id)
    if (!entry || answer.id === undefined) return
    waiting.delete(answer.id)
    clearTimeout(entry.timer)
    if (answer.error) entry.reject(new RpcError(answer.error.code, answer.error.message, answer.error.data))
    else entry.resolve(answer.result)
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
  // 'close' always follows 'error', and is where the calls are failed.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('close', () => {
    for (const entry of waiting.values()) {
      clearTimeout(entry.timer)
      entry.reject(engineUnavailable())
    }
    waiting.clear()
  })

  return {
    call: (method, params = [], timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(engineUnavailable())
        lastId += 1
        const id = lastId
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new RpcError(-32002, `the chain engine did not answer ${method} in time`, { retryable: true }))
        }, timeoutMs)
        waiting.set(id, { resolve, reject, timer })
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
