import { connect, type Socket } from 'node:net'
import type { StreamKind } from './stream-kinds.ts'

/** Milliseconds of a clock that every process of the machine shares. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * Subscribes to new heads over a socket and reports each as soon as its last byte has arrived. Resolves once the server
 * has sent something; `lost` receives the last bytes where the server closes the connection.
 */
export function readHeads(
  to: { port: number; host: string } | { path: string },
  { ask, event }: Pick<StreamKind, 'ask' | 'event'>,
  from: string,
  received: { head(hash: string, text: string): void; lost(last: string): void },
): Promise<Socket> {
  let text = ''
  const socket = connect(to)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    for (let found = event.exec(text); found !== null; found = event.exec(text)) {
      text = text.slice(found.index + found[0].length)
      received.head(found[1] ?? '', found[0])
    }
  })
  socket.on('error', () => undefined) // it closes next
  socket.on('close', () => received.lost(text.slice(-500)))
  socket.write(ask(from))
  return new Promise((resolve) => socket.once('data', () => resolve(socket)).once('close', () => resolve(socket)))
}
