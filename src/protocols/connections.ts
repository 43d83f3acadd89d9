import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from './address.ts'

/** Most connections of one address, over all ports. */
export const connectionsOfAddress = 500

/** Milliseconds after which an HTTP/1.1 connection without a request is closed. */
export const idleHttpMs = 120_000

/** Counts the open connections of each address. */
export type Connections = {
  /** False where the address has as many as it may; else the connection counts until it closes. */
  admit(socket: Socket): boolean
}

type ConnectionRules = {
  most?: number
  /** Proxies have many callers behind their address, and no bound. */
  isProxy?: (address: string) => boolean
  /** Called for each refused connection. */
  refused?: (address: string) => void
}

export function openConnections(rules: ConnectionRules = {}): Connections {
  const { most = connectionsOfAddress, isProxy = () => false, refused = () => {} } = rules
  const counts = new Map<string, number>()
  return {
    admit(socket) {
      const peer = plainAddress(socket.remoteAddress ?? '')
      // A caller that has left already has no address.
      if (peer === null || isProxy(peer)) return true
      const address = networkOf(peer)
      const count = counts.get(address) ?? 0
      if (count >= most) {
        refused(address)
        return false
      }
      counts.set(address, count + 1)
      socket.once('close', () => {
        const left = (counts.get(address) ?? 1) - 1
        if (left === 0) counts.delete(address)
        else counts.set(address, left)
      })
      return true
    },
  }
}

/**
 * Closes connections on which no request is open for `idleMs`. Node.js has timeouts for requests alone, and empty lines
 * between two requests restart its timeout of kept connections. Streams are open requests, and so are the sockets of a
 * server that has them.
 */
export function closeIdle(server: Server, idleMs: number, hasSockets: boolean): void {
  const requests = new WeakMap<Socket, { begun(): void; ended(): void }>()
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    let open = 0
    const timer = setTimeout(() => {
      if (open === 0) socket.destroy()
    }, idleMs).unref()
    socket.once('close', () => clearTimeout(timer))
    const begun = () => {
      open += 1
    }
    const ended = () => {
      open -= 1
      if (open === 0 && !socket.destroyed) timer.refresh()
    }
    requests.set(socket, { begun, ended })
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    requests.get(socket)?.begun()
    response.once('close', () => requests.get(socket)?.ended())
  })
  // Without a listener of its own, a server answers an upgrade as any other request.
  if (hasSockets) server.prependListener('upgrade', ({ socket }: IncomingMessage) => requests.get(socket)?.begun())
}
