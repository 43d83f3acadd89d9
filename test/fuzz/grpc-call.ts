import { type ClientHttp2Session, constants } from 'node:http2'
import { errorTable } from '../../src/contract/shared/errors.ts'
import { grpcHeaders } from '../clients/grpc-frame.ts'

/** The result of a raw call: a response, a refusal by gRPC or HTTP, a stream that was cut, or one that continues. */
export type Came = { kind: 'answered' | 'refused' | 'left' | 'undeclared'; received: string }

/** OK and every status of the error table except INTERNAL; UNKNOWN (2) and DATA_LOSS (15) are not in the table. */
const statuses = new Set<number>([0, ...Object.values(errorTable).map(({ grpc }) => grpc)])
statuses.delete(errorTable.INTERNAL.grpc)

const cutCodes = new Set<number>([
  constants.NGHTTP2_NO_ERROR,
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_CANCEL,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
  constants.NGHTTP2_REFUSED_STREAM,
])

/**
 * Sends bytes on a separate stream and waits at most 20 s for its end; a stream that continues is closed once it has
 * begun.
 */
export async function rawCall(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  bytes: Buffer,
  { ends = true, goesOn = false } = {},
): Promise<Came> {
  const stream = session.request({ ...grpcHeaders, ...headers }, { endStream: false })
  const { promise, resolve } = Promise.withResolvers<Came>()
  const undeclared = (received: string) => resolve({ kind: 'undeclared', received })
  const timer = setTimeout(() => undeclared('no end within 20 s'), 20_000)
  let status: number | undefined
  const read = (sent: Record<string, unknown>) => {
    if (sent['grpc-status'] !== undefined) status = Number(sent['grpc-status'])
  }
  stream.on('response', (head) => {
    read(head)
    const http = Number(head[':status'])
    if (http >= 500) undeclared(`HTTP ${http}`)
    if (http !== 200 && http < 500) resolve({ kind: 'refused', received: `HTTP ${http}` })
  })
  stream.on('trailers', read)
  stream.on('data', () => {
    if (goesOn) setTimeout(() => resolve({ kind: 'left', received: 'a stream that goes on' }), 100)
  })
  stream.on('error', () => undefined)
  stream.once('close', () => {
    if (status === undefined)
      return cutCodes.has(stream.rstCode ?? 0)
        ? resolve({ kind: 'refused', received: `cut with ${stream.rstCode}` })
        : undeclared(`cut with ${stream.rstCode}`)
    if (!statuses.has(status)) return undeclared(`status ${status}`)
    resolve({ kind: status === 0 ? 'answered' : 'refused', received: `status ${status}` })
  })
  stream.write(bytes)
  if (ends) stream.end()
  const came = await promise
  clearTimeout(timer)
  stream.close(constants.NGHTTP2_CANCEL)
  return came
}
