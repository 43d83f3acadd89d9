import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare connection: sends bytes, and collects all that was received. */
export type RawSocket = {
  socket: Socket
  received(): Buffer
  /** Settles when the other side has closed, or throws after `ms`. */
  closed(ms: number): Promise<void>
}

export async function openRaw(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  const gone = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  return {
    socket,
    received: () => Buffer.concat(chunks),
    async closed(ms) {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => late.reject(new Error(`open after ${ms} ms`)), ms)
      await Promise.race([gone, late.promise]).finally(() => clearTimeout(timer))
    },
  }
}

/** Sends bytes, ends its side, and returns everything received until the other side closes, within 60 s. */
export async function exchangeRaw(url: string, bytes: Uint8Array | string): Promise<Buffer> {
  const raw = await openRaw(url)
  raw.socket.end(bytes)
  await raw.closed(60_000).finally(() => raw.socket.destroy())
  return raw.received()
}

/** The statuses of the received responses. */
export function statusesIn(received: Buffer): number[] {
  return [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
