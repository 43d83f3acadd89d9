import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { framed, grpcHeaders } from '../clients/grpc-frame.ts'
import type { Gateway } from '../gateway-process.ts'

/** A reader that does not read until `readAll`, which returns why it was disconnected. */
export type Unread = { readAll(): Promise<string> }

type Asked = { path: string; message: Uint8Array; headers?: Record<string, string> }

/** A stream over bare HTTP/2, because a gRPC library reads ahead of its user. */
export async function unreadGrpc(
  address: string,
  { path, message, headers = {} }: Asked,
  stack: AsyncDisposableStack,
): Promise<Unread> {
  const session = connect(`http://${address}`)
  session.on('error', () => undefined) // its stream is notified
  stack.defer(() => session.destroy())
  const stream = session.request({ ...grpcHeaders, ':path': path, ...headers })
  stream.on('error', () => undefined) // the waiting reader is notified
  stream.end(framed(message))
  await once(stream, 'response')
  return {
    async readAll() {
      stream.resume()
      const [trailers] = await once(stream, 'trailers')
      return decodeURIComponent(String(trailers['grpc-message']))
    },
  }
}

/** A stream of server-sent events, of REST or tRPC. */
export async function unreadSse(
  url: string,
  headers: Record<string, string>,
  stack: AsyncDisposableStack,
): Promise<Unread> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = get(url, { headers: { accept: 'text/event-stream', ...headers } }, resolve)
  request.on('error', reject)
  stack.defer(() => void request.destroy())
  const response = await promise
  return {
    async readAll() {
      let tail = ''
      try {
        for await (const chunk of response) tail = (tail + chunk).slice(-1_000)
      } catch (error) {
        return `${tail} ${error}`
      }
      return tail
    },
  }
}

/** Records the memory of a gateway, in MB, until it is stopped. */
export function watchMemory(gateway: Gateway) {
  const base = gateway.memoryMb()
  let peak = base
  const timer = setInterval(() => {
    peak = Math.max(peak, gateway.memoryMb())
  }, 100)
  return {
    peak: () => peak,
    stop() {
      clearInterval(timer)
      return { base, peak, last: gateway.memoryMb() }
    },
  }
}
