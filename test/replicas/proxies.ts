import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy of TCP connections that can be cut. Disposing closes it. */
export type CutProxy = AsyncDisposable & {
  port: number
  /** Resets every connection; `keep` lets new ones through. */
  cut(keep?: 'open' | 'closed'): void
  /** Passes nothing on, and keeps connections open. */
  stall(): void
  /** Lets everything through again. */
  mend(): void
}

/** Stands between a process and a port of loopback. */
export async function openCutProxy(target: number): Promise<CutProxy> {
  let state: 'open' | 'closed' | 'stalled' = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    if (state === 'closed') return void caller.resetAndDestroy()
    const onward = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const [one, other] of [
      [caller, onward],
      [onward, caller],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
      if (state === 'stalled') one.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut(keep = 'closed') {
      state = keep
      for (const socket of sockets) socket.resetAndDestroy()
    },
    stall() {
      state = 'stalled'
      for (const socket of sockets) socket.pause()
    },
    mend() {
      state = 'open'
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The address with another port of loopback. */
export function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = `${port}`
  return changed.href.replace(/\/$/, '')
}

/** The port of an address. */
export function portOf(url: string): number {
  return Number(new URL(url).port)
}
