import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import { timeLimit } from '../../kit/time-limit.ts'
import { cancelled } from '../async/single-flight.ts'

/** A request over HTTP, with its limits of size and time. */
type Attempt = {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
  /** The most bytes of the decompressed response body. */
  mostBytes: number
  timeoutMs: number
  signal: AbortSignal
}

/** The outcome of an attempt. `cause` names the kind of failure alone, for messages of the network hold addresses. */
export type Outcome =
  | { kind: 'reply'; status: number; text: string; headers: Readonly<Record<string, string | undefined>> }
  | { kind: 'timeout' | 'network' | 'too_large'; cause: Error }

/** Sends a request once, without following redirects. Throws CANCELLED where the signal aborts, and nothing else. */
export async function attempt(dispatcher: Dispatcher, toSend: Attempt): Promise<Outcome> {
  const { url, method, headers, body, mostBytes, timeoutMs, signal } = toSend
  const late = timeLimit(timeoutMs)
  const ended = AbortSignal.any([signal, late])
  try {
    const accepting = { ...headers, 'accept-encoding': 'gzip, br, deflate' }
    const sent = { dispatcher, method, headers: accepting, signal: ended, ...(body === undefined ? {} : { body }) }
    const response = await request(url, sent)
    const bytes = await boundedBytes(decompressed(response.body, response.headers['content-encoding']), mostBytes)
    if (bytes === null) return { kind: 'too_large', cause: new Error(`more than ${mostBytes} bytes`) }
    const { statusCode: status } = response
    return { kind: 'reply', status, text: bytes.toString('utf8'), headers: single(response.headers) }
  } catch (thrown) {
    if (signal.aborted) throw cancelled()
    return { kind: isTimeout(thrown, late) ? 'timeout' : 'network', cause: new Error(kindOf(thrown)) }
  }
}

/** The decompressed body. A body of another encoding is not text, which parsing finds out later. */
function decompressed(body: Readable, encoding: string | string[] | undefined): AsyncIterable<Buffer> {
  const open = typeof encoding === 'string' ? decompressors[encoding.toLowerCase()] : undefined
  // Errors and the end of the stream are those of the iteration, and ending the iteration closes both streams.
  return open === undefined ? body : pipeline(body, open(), () => undefined)
}

const decompressors: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

async function boundedBytes(body: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > mostBytes) return null // leaving the loop ends the connection
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]))
}

function isTimeout(thrown: unknown, late: AbortSignal): boolean {
  return late.aborted || /TIMEOUT/.test(kindOf(thrown))
}

/** The code or name of an error, never its message. */
function kindOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return typeof thrown
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code
  return thrown instanceof Error ? thrown.name : 'object'
}
