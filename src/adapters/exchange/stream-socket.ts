import { WebSocket } from 'ws'
import { z } from 'zod'
import { retryAfter } from '../providers/http-failure.ts'

/**
 * Hears of one stream: that it is joined, again after each interruption, every message of it, and that the exchange is
 * not heard any more, or not yet.
 */
export type StreamListener = { joined(): void; message(data: unknown): void; lost(): void }

/** One connection for all streams that somebody listens to; none while nobody does. */
export type StreamSocket = {
  /** Joins a stream, or shares it with those who have it; answers the function that leaves it. */
  join(stream: string, listener: StreamListener): () => void
  close(): void
}

export type StreamSocketOptions = {
  /** Address beneath which `/stream` is. */
  url: string
  times?: Partial<typeof usual>
  /** Hears why a connection ended. */
  lost?: (reason: string) => void
}

/** Streams that one request asks for. */
const streamsAtOnce = 100

/**
 * The exchange takes five messages a second, so requests that come together are sent together. A connection that is silent
 * for `idleMs` is asked whether it lives, and as long after that it is given up; so is one that does not take a subscription within `answerMs`.
 */
export const usual = {
  gatherMs: 500,
  idleMs: 10_000,
  answerMs: 10_000,
  pauseMs: 250,
  mostPauseMs: 15_000,
  connectMs: 5_000,
}
const mostBytes = 1_048_576

/** A result that is not null is none that is asked for here; a refusal has none, and no number where it has none of ours. */
const answer = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int().nullish(), error: z.unknown() }).transform(({ id }) => ({ id: id ?? 0, result: 'refused' })),
])
const message = z.object({ stream: z.string(), data: z.unknown() })

/** Makes the socket; it connects with the first stream and again after every loss, later each time and never at once. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one socket
export function createStreamSocket({ url, times, lost = () => undefined }: StreamSocketOptions): StreamSocket {
  const { gatherMs, idleMs, answerMs, pauseMs, mostPauseMs, connectMs } = { ...usual, ...times }
  const streams = new Map<string, Set<StreamListener>>()
  /** Streams that this connection was asked for, and whether it has them by now. */
  let asked = new Map<string, 'asked' | 'joined'>()
  let waiting = new Map<number, { streams: string[]; late: NodeJS.Timeout }>()
  let socket: WebSocket | null = null
  let timer: NodeJS.Timeout | null = null
  let idle: NodeJS.Timeout | null = null
  let losses = 0
  /** No connection is tried before this moment. */
  let restUntil = 0
  let number = 0
  let closed = false

  /** Does what is due in a while: connects, or asks for what is wanted by then. */
  function later(ms: number): void {
    timer ??= setTimeout(() => {
      timer = null
      const rest = restUntil - performance.now()
      if (socket !== null) settle()
      else if (rest > 0) later(rest)
      else connect()
    }, ms).unref()
  }

  function connect(): void {
    if (streams.size === 0) losses = 0 // whoever comes next finds nothing interrupted
    if (closed || socket !== null || streams.size === 0) return
    const own = new WebSocket(`${url}/stream`, { maxPayload: mostBytes, handshakeTimeout: connectMs })
    socket = own
    let wait = 0
    const within = (then: () => void) => {
      if (idle !== null) clearTimeout(idle)
      idle = setTimeout(then, idleMs).unref()
    }
    const alive = () =>
      within(() => {
        own.ping()
        within(() => own.terminate())
      })
    own.on('open', () => {
      alive()
      settle()
    })
    own.on('ping', alive)
    own.on('pong', alive)
    own.on('message', (bytes) => {
      alive()
      receive(String(bytes))
    })
    own.on('unexpected-response', (_request, response) => {
      wait = retryAfter(response.headers['retry-after'], new Date(), response.statusCode) ?? 0
      own.emit('error', new Error(`status ${response.statusCode}`))
      own.terminate()
    })
    own.on('error', (error) => lost(error.message))
    own.on('close', () => {
      if (idle !== null) clearTimeout(idle)
      if (socket !== own) return
      socket = null
      forget()
      losses += 1
      for (const listeners of streams.values()) for (const listener of listeners) listener.lost()
      const pause = Math.max(wait, Math.random() * Math.min(mostPauseMs, pauseMs * 2 ** losses))
      restUntil = performance.now() + pause
      later(pause)
    })
  }

  /** What was asked of a connection is void with it. */
  function forget(): void {
    for (const { late } of waiting.values()) clearTimeout(late)
    asked = new Map()
    waiting = new Map()
  }

  /** Asks for the streams that are wanted and not had, and gives back those nobody wants. */
  function settle(): void {
    if (socket?.readyState !== WebSocket.OPEN) return
    if (streams.size === 0) {
      const own = socket
      socket = null
      forget()
      own.close()
      return
    }
    const missing = [...streams.keys()].filter((stream) => !asked.has(stream))
    const stray = [...asked.keys()].filter((stream) => !streams.has(stream))
    const [wanted, unwanted] = [missing.slice(0, streamsAtOnce), stray.slice(0, streamsAtOnce)]
    for (const stream of unwanted) asked.delete(stream)
    for (const stream of wanted) asked.set(stream, 'asked')
    send('SUBSCRIBE', wanted)
    send('UNSUBSCRIBE', unwanted)
    if (missing.length > streamsAtOnce || stray.length > streamsAtOnce) later(gatherMs)
  }

  function send(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', params: string[]): void {
    if (params.length === 0) return
    number += 1
    const own = socket
    const late = setTimeout(() => own?.terminate(), answerMs).unref()
    waiting.set(number, { streams: method === 'SUBSCRIBE' ? params : [], late })
    own?.send(JSON.stringify({ method, params, id: number }))
  }

  function receive(text: string): void {
    const value = parsed(text)
    const news = message.safeParse(value)
    if (news.success) {
      for (const listener of streams.get(news.data.stream) ?? []) listener.message(news.data.data)
      return
    }
    const answered = answer.safeParse(value)
    // Neither JSON nor taken: it is better asked anew.
    if (value === undefined || (answered.success && answered.data.result !== null)) socket?.terminate()
    const request = waiting.get(answered.data?.id ?? -1)
    if (request === undefined || answered.data?.result !== null) return
    clearTimeout(request.late)
    losses = 0
    for (const stream of request.streams) {
      if (asked.get(stream) === undefined) continue
      asked.set(stream, 'joined')
      for (const listener of streams.get(stream) ?? []) listener.joined()
    }
    waiting.delete(answered.data.id)
  }

  return {
    join(stream, listener) {
      const listeners = streams.get(stream) ?? new Set()
      streams.set(stream, listeners.add(listener))
      if (losses > 0) listener.lost()
      if (socket === null) later(0)
      else if (asked.get(stream) === 'joined') listener.joined()
      else later(gatherMs)
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        if (streams.get(stream) === listeners) streams.delete(stream)
        later(gatherMs)
      }
    },
    close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      if (idle !== null) clearTimeout(idle)
      socket?.terminate()
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
