import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { Fault } from '../provider-server/faults.ts'
import { type Place, placeOf } from './cursors.ts'
import { applySocketFault } from './socket-faults.ts'
import { slotMs, type Tape } from './tape.ts'

export type StreamsOptions = {
  tapes: ReadonlyMap<string, Tape>
  now: () => number
  refresh: () => Promise<void>
  /** After so long a connection is closed, whoever listens. */
  connectionMs: number
}

/** The exchange's WebSocket streams. */
export type Streams = {
  /** The messages of the connection go wrong by the fault. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, fault: Fault | null): void
  /** Ends every connection. */
  cut(): void
  close(): void
}

const request = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE']),
  params: z.array(z.string().max(60)).max(200),
  id: z.int(),
})
const mostStreams = 1_024
const mostBacklogBytes = 1_048_576

/** Serves the streams of the markets on `/stream`, each message in an envelope with its stream's name. */
export function createStreams({ tapes, now, refresh, connectionMs }: StreamsOptions): Streams {
  const server = new WebSocketServer({ noServer: true, maxPayload: 65_536 })
  const connections = new Map<WebSocket, Map<string, Place>>()
  const spoiledOnes = new Set<WebSocket>()
  let timer: NodeJS.Timeout | null = null

  function tick(): void {
    refresh().then(tell, tell) // what the chain does not tell now is told later
  }

  function tell(): void {
    const moment = now()
    for (const [socket, places] of connections) {
      if (socket.bufferedAmount > mostBacklogBytes) socket.terminate()
      else for (const [stream, place] of places) for (const data of place(moment)) send(socket, { stream, data })
    }
  }

  function hear(socket: WebSocket, text: string): void {
    const parsed = request.safeParse(jsonOf(text))
    const places = connections.get(socket)
    if (!parsed.success || places === undefined) {
      send(socket, { error: { code: 2, msg: 'Invalid request' } })
      return
    }
    const { method, params, id } = parsed.data
    const known = params.map((stream) => [stream, placeOf(tapes, stream, now())] as const)
    if (known.some(([, place]) => place === null) || places.size + params.length > mostStreams) {
      send(socket, { error: { code: 2, msg: 'Invalid request: unknown stream' }, id })
      return
    }
    for (const [stream, place] of known) {
      if (method === 'UNSUBSCRIBE') places.delete(stream)
      else if (place !== null && !places.has(stream)) places.set(stream, place)
    }
    send(socket, { result: null, id })
  }

  function begin(socket: WebSocket): void {
    connections.set(socket, new Map())
    const over = setTimeout(() => socket.close(1000), connectionMs).unref()
    timer ??= setInterval(tick, slotMs / 2)
    socket.on('message', (data) => hear(socket, String(data)))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      connections.delete(socket)
      clearTimeout(over)
      if (connections.size > 0 || timer === null) return
      clearInterval(timer)
      timer = null
    })
  }

  const cut = () => {
    for (const socket of [...connections.keys(), ...spoiledOnes]) socket.terminate()
  }
  return {
    accept: (upgrade, raw, head, fault) =>
      server.handleUpgrade(upgrade, raw, head, (socket) => {
        const spoiled = applySocketFault(fault, socket, raw)
        if (spoiled) spoiledOnes.add(socket.once('close', () => spoiledOnes.delete(socket)))
        else begin(socket)
      }),
    cut,
    close() {
      cut()
      if (timer !== null) clearInterval(timer)
      timer = null
      server.close()
    },
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
