import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Fault } from '../provider-server/faults.ts'
import { bookOf, tickerOf } from './book.ts'
import { isInterval, nextOpen, openOf } from './intervals.ts'
import { slotMs, type Tape } from './tape.ts'
import { candleMessage, tickerMessage, tradeMessage } from './wire.ts'

type StreamsOptions = {
  tapes: ReadonlyMap<string, Tape>
  now: () => number
  refresh: () => Promise<void>
  /** Milliseconds after which each connection is closed. */
  connectionMs: number
}

/** The exchange's WebSocket streams. */
type Streams = {
  /** Accepts a connection, whose messages show the fault. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, fault: Fault | null): void
  /** Ends every connection. */
  disconnectAll(): void
  close(): void
}

const request = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE']),
  params: z.array(z.string().max(60)).max(200),
  id: z.int(),
})
const maxStreams = 1_024
const maxBacklogBytes = 1_048_576

/** Serves the streams of the markets on `/stream`. Each message is in an envelope with the name of its stream. */
export function createStreams({ tapes, now, refresh, connectionMs }: StreamsOptions): Streams {
  const server = new WebSocketServer({ noServer: true, maxPayload: 65_536 })
  const connections = new Map<WebSocket, Map<string, Cursor>>()
  const faultySockets = new Set<WebSocket>()
  let timer: NodeJS.Timeout | null = null

  function tick(): void {
    refresh().then(sendAll, sendAll) // swaps that cannot be read now are sent later
  }

  function sendAll(): void {
    const time = now()
    for (const [socket, cursors] of connections) {
      if (socket.bufferedAmount > maxBacklogBytes) socket.terminate()
      else for (const [stream, read] of cursors) for (const data of read(time)) send(socket, { stream, data })
    }
  }

  function handle(socket: WebSocket, text: string): void {
    const parsed = request.safeParse(parseJson(text))
    const cursors = connections.get(socket)
    if (!parsed.success || cursors === undefined) {
      send(socket, { error: { code: 2, msg: 'Invalid request' } })
      return
    }
    const { method, params, id } = parsed.data
    const opened = params.map((stream) => [stream, openCursor(tapes, stream, now())] as const)
    if (opened.some(([, cursor]) => cursor === null) || cursors.size + params.length > maxStreams) {
      send(socket, { error: { code: 2, msg: 'Invalid request: unknown stream' }, id })
      return
    }
    for (const [stream, cursor] of opened) {
      if (method === 'UNSUBSCRIBE') cursors.delete(stream)
      else if (cursor !== null && !cursors.has(stream)) cursors.set(stream, cursor)
    }
    send(socket, { result: null, id })
  }

  function begin(socket: WebSocket): void {
    connections.set(socket, new Map())
    const expiry = setTimeout(() => socket.close(1000), connectionMs).unref()
    timer ??= setInterval(tick, slotMs / 2)
    socket.on('message', (data) => handle(socket, String(data)))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      connections.delete(socket)
      clearTimeout(expiry)
      if (connections.size > 0 || timer === null) return
      clearInterval(timer)
      timer = null
    })
  }

  const disconnectAll = () => {
    for (const socket of [...connections.keys(), ...faultySockets]) socket.terminate()
  }
  return {
    accept: (upgrade, raw, head, fault) =>
      server.handleUpgrade(upgrade, raw, head, (socket) => {
        const isFaulty = applySocketFault(fault, socket, raw)
        if (isFaulty) faultySockets.add(socket.once('close', () => faultySockets.delete(socket)))
        else begin(socket)
      }),
    disconnectAll,
    close() {
      disconnectAll()
      if (timer !== null) clearInterval(timer)
      timer = null
      server.close()
    },
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}

/** Applies a fault to an accepted WebSocket. Returns false where the connection shall work as usual. */
function applySocketFault(fault: Fault | null, socket: WebSocket, raw: Duplex): boolean {
  socket.on('error', () => socket.terminate())
  switch (fault?.type) {
    case 'stall_midway':
      socket.pause() // no pong either
      return true
    case 'truncate':
      socket.once('message', () => raw.write(shortFrame, () => socket.terminate()))
      return true
    case 'wrong_json':
      socket.on('message', () => socket.send('{"of":["another","shape"]}'))
      return true
    case 'garbage':
      socket.on('message', () => socket.send('<html>Bad gateway</html>'))
      return true
    case 'flood':
      socket.on('message', () => socket.send(' '.repeat(floodBytes)))
      return true
    default:
      return false
  }
}

const floodBytes = 2_097_152
/** The header of a text frame of 100 bytes, followed by one byte only. */
const shortFrame = Buffer.from([0x81, 100, 0x7b])

/** The position of a connection in a stream. Each call returns the messages since the one before. */
type Cursor = (now: number) => Iterable<object>

type OpenCursor = (tape: Tape, detail: string | undefined, now: number) => Cursor | null

/** Kinds of streams by the end of their names. */
const kinds: readonly [RegExp, OpenCursor][] = [
  [/^aggTrade$/, (tape, _none, now) => trades(tape, now)],
  [/^kline_(\w{2,3})$/, (tape, interval = '', now) => (isInterval(interval) ? candles(tape, interval, now) : null)],
  [
    /^depth(5|10|20)$/,
    (tape, levels, begun) => eachSecond(tape, begun, (now) => depthMessage(tape, Number(levels), now)),
  ],
  [/^ticker$/, (tape, _none, begun) => eachSecond(tape, begun, (now) => tickerMessageOf(tape, now))],
]

/** Opens a stream such as `ethusdc@depth20` at its current position; null where there is no such stream. */
function openCursor(tapes: ReadonlyMap<string, Tape>, stream: string, now: number): Cursor | null {
  const [, symbol = '', kind = ''] = /^([a-z0-9]{2,20})@(\w{2,20})$/.exec(stream) ?? []
  const tape = tapes.get(symbol.toUpperCase())
  if (tape === undefined) return null
  for (const [pattern, open] of kinds) {
    const match = pattern.exec(kind)
    if (match !== null) return open(tape, match[1], now)
  }
  return null
}

function trades(tape: Tape, begun: number): Cursor {
  let last = tape.newest(begun)
  return function* (now) {
    for (const newest = tape.newest(now); last < newest; ) {
      last += 1
      yield tradeMessage(tape, tape.trade(last))
    }
  }
}

/** The messages of a candle stream: each closed candle once, and the current state of the open one. */
function candles(tape: Tape, interval: string, begun: number): Cursor {
  let opened = openOf(interval, begun)
  return function* (now) {
    for (let isOpen = false; !isOpen; ) {
      const next = nextOpen(interval, opened)
      isOpen = next > now
      const candle = tape.candle(interval, opened, now)
      if (candle !== null) yield candleMessage(tape, interval, candle, !isOpen, now)
      if (!isOpen) opened = next
    }
  }
}

/** The current message once a second, which is at every second trade. */
function eachSecond(tape: Tape, begun: number, message: (now: number) => object | null): Cursor {
  let last = tape.newest(begun) - 2
  return function* (now) {
    const newest = tape.newest(now)
    if (newest < last + 2) return
    last = newest
    const current = message(now)
    if (current !== null) yield current
  }
}

function depthMessage(tape: Tape, levels: number, now: number): object {
  const [bids, asks] = bookOf(tape, now, levels)
  return { lastUpdateId: tape.newest(now), bids, asks }
}

function tickerMessageOf(tape: Tape, now: number): object | null {
  const ticker = tickerOf(tape, now)
  return ticker === null ? null : tickerMessage(ticker)
}
