import { WebSocket } from 'ws'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import { retryAfter } from '../providers/http-failure.ts'

/**
 * Receives one stream: `joined` at its start and after each interruption, every message, and `lost` while the exchange
 * is not connected.
 */
type StreamListener = { joined(): void; message(data: unknown): void; lost(): void }

/** Keeps one connection for all streams with listeners, and none without listeners. */
export type StreamSocket = {
  /** Joins a stream, or shares it with its listeners; returns the function that leaves it. */
  join(stream: string, listener: StreamListener): () => void
  close(): void
}

type StreamSocketOptions = {
  /** The base address of `/stream`. */
  url: string
  times?: Partial<typeof usual>
  /** Is called with the reason that a connection ended. */
  lost?: (reason: string) => void
}

/** The most streams of one request. */
const streamsAtOnce = 100

/**
 * The exchange accepts five messages a second, so requests within `gatherMs` are sent together. A connection that is
 * silent for `idleMs` is pinged, and closed where it is silent for as long again. It is also closed where it does not
 * accept a subscription within `answerMs`.
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

/** The response to a request: a result of null accepts it. A refusal has an error, and can lack the request's id. */
const responseFormat = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int().nullish(), error: z.unknown() }).transform(({ id }) => ({ id: id ?? 0, result: 'refused' })),
])
const messageFormat = z.object({ stream: z.string(), data: z.unknown() })

/** The state of one socket. It connects with the first stream, and again after every loss with growing random pauses. */
type State = {
  url: string
  times: typeof usual
  lost: (reason: string) => void
  streams: Map<string, Set<StreamListener>>
  /** The streams that this connection requested, and whether they are joined. */
  requested: Map<string, 'requested' | 'joined'>
  /** Requests without a response, by id. */
  pending: Map<number, { streams: string[]; late: NodeJS.Timeout }>
  socket: WebSocket | null
  timer: NodeJS.Timeout | null
  idle: NodeJS.Timeout | null
  losses: number
  /** The earliest time of the next connection, as `performance.now()` counts. */
  restUntil: number
  lastId: number
  closed: boolean
}

/** Opens the socket. */
export function createStreamSocket({ url, times, lost = () => undefined }: StreamSocketOptions): StreamSocket {
  const state: State = {
    url,
    times: { ...usual, ...times },
    lost,
    streams: new Map(),
    requested: new Map(),
    pending: new Map(),
    socket: null,
    timer: null,
    idle: null,
    losses: 0,
    restUntil: 0,
    lastId: 0,
    closed: false,
  }
  const { gatherMs } = state.times
  return {
    join(stream, listener) {
      const listeners = state.streams.get(stream) ?? new Set()
      state.streams.set(stream, listeners.add(listener))
      if (state.losses > 0) listener.lost()
      if (state.socket === null) schedule(state, 0)
      else if (state.requested.get(stream) === 'joined') listener.joined()
      else schedule(state, gatherMs)
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        if (state.streams.get(stream) === listeners) state.streams.delete(stream)
        schedule(state, gatherMs)
      }
    },
    close() {
      state.closed = true
      if (state.timer !== null) clearTimeout(state.timer)
      if (state.idle !== null) clearTimeout(state.idle)
      state.socket?.terminate()
    },
  }
}

/** Connects, or updates the subscriptions, after a delay. A call that is scheduled already remains. */
function schedule(state: State, ms: number): void {
  state.timer ??= setTimeout(() => {
    state.timer = null
    const rest = state.restUntil - performance.now()
    if (state.socket !== null) updateSubscriptions(state)
    else if (rest > 0) schedule(state, rest)
    else connect(state)
  }, ms).unref()
}

function connect(state: State): void {
  const { closed, streams, times, url } = state
  if (streams.size === 0) state.losses = 0 // for the next listener nothing was interrupted
  if (closed || state.socket !== null || streams.size === 0) return
  const own = new WebSocket(`${url}/stream`, { maxPayload: mostBytes, handshakeTimeout: times.connectMs })
  state.socket = own
  let retryAfterMs = 0
  const alive = () => watchIdle(state, own)
  own.on('open', () => {
    alive()
    updateSubscriptions(state)
  })
  own.on('ping', alive)
  own.on('pong', alive)
  own.on('message', (bytes) => {
    alive()
    receive(state, String(bytes))
  })
  own.on('unexpected-response', (_request, response) => {
    retryAfterMs = retryAfter(response.headers['retry-after'], new Date(), response.statusCode) ?? 0
    own.emit('error', new Error(`status ${response.statusCode}`))
    own.terminate()
  })
  own.on('error', (error) => state.lost(error.message))
  own.on('close', () => onClose(state, own, retryAfterMs))
}

/** Pings a silent connection, and closes one that stays silent. */
function watchIdle(state: State, own: WebSocket): void {
  const within = (then: () => void) => {
    if (state.idle !== null) clearTimeout(state.idle)
    state.idle = setTimeout(then, state.times.idleMs).unref()
  }
  within(() => {
    own.ping()
    within(() => own.terminate())
  })
}

function onClose(state: State, own: WebSocket, retryAfterMs: number): void {
  if (state.idle !== null) clearTimeout(state.idle)
  if (state.socket !== own) return
  state.socket = null
  forgetRequests(state)
  state.losses += 1
  for (const listeners of state.streams.values()) for (const listener of listeners) listener.lost()
  const { mostPauseMs, pauseMs } = state.times
  const pause = Math.max(retryAfterMs, Math.random() * Math.min(mostPauseMs, pauseMs * 2 ** state.losses))
  state.restUntil = performance.now() + pause
  schedule(state, pause)
}

/** The requests of a connection end with it. */
function forgetRequests(state: State): void {
  for (const { late } of state.pending.values()) clearTimeout(late)
  state.requested = new Map()
  state.pending = new Map()
}

/** Subscribes to the streams with listeners, and unsubscribes from the others. */
function updateSubscriptions(state: State): void {
  const { requested, socket, streams } = state
  if (socket?.readyState !== WebSocket.OPEN) return
  if (streams.size === 0) {
    state.socket = null
    forgetRequests(state)
    socket.close()
    return
  }
  const missing = [...streams.keys()].filter((stream) => !requested.has(stream))
  const unused = [...requested.keys()].filter((stream) => !streams.has(stream))
  const [added, removed] = [missing.slice(0, streamsAtOnce), unused.slice(0, streamsAtOnce)]
  for (const stream of removed) requested.delete(stream)
  for (const stream of added) requested.set(stream, 'requested')
  send(state, socket, 'SUBSCRIBE', added)
  send(state, socket, 'UNSUBSCRIBE', removed)
  if (missing.length > streamsAtOnce || unused.length > streamsAtOnce) schedule(state, state.times.gatherMs)
}

function send(state: State, socket: WebSocket, method: 'SUBSCRIBE' | 'UNSUBSCRIBE', params: string[]): void {
  if (params.length === 0) return
  state.lastId += 1
  const late = setTimeout(() => socket.terminate(), state.times.answerMs).unref()
  state.pending.set(state.lastId, { streams: method === 'SUBSCRIBE' ? params : [], late })
  socket.send(JSON.stringify({ method, params, id: state.lastId }))
}

function receive(state: State, text: string): void {
  const value = parseJson(text)
  const news = messageFormat.safeParse(value)
  if (news.success) {
    for (const listener of state.streams.get(news.data.stream) ?? []) listener.message(news.data.data)
    return
  }
  const { data: response } = responseFormat.safeParse(value)
  // After a message that is not JSON, or a refusal, another connection requests the streams again.
  if (value === undefined || (response !== undefined && response.result !== null)) state.socket?.terminate()
  const request = state.pending.get(response?.id ?? -1)
  if (request === undefined || response?.result !== null) return
  clearTimeout(request.late)
  state.losses = 0
  for (const stream of request.streams) {
    if (!state.requested.has(stream)) continue
    state.requested.set(stream, 'joined')
    for (const listener of state.streams.get(stream) ?? []) listener.joined()
  }
  state.pending.delete(response.id)
}
