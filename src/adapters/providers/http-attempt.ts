import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import { timeLimit } from '../../domain/core/time-limit.ts'
import { cancelled } from '../async/single-flight.ts'

/** One exchange over HTTP: what is sent, and what bounds it. */
export type Attempt = {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
  /** Of the body as it was before it was packed. */
  mostBytes: number
  timeoutMs: number
  signal: AbortSignal
}

/** What came of it. `cause` names the sort of failure alone, for the words of a network hold addresses. */
export type Outcome =
  | { kind: 'reply'; status: number; text: string; headers: Readonly<Record<string, string | undefined>> }
  | { kind: 'timeout' | 'network' | 'too_large'; cause: Error }

/** Asks once, without following redirects. Throws CANCELLED where the signal ended it, and nothing else. */
export async function attempt(dispatcher: Dispatcher, asked: Attempt): Promise<Outcome> {
  const { url, method, headers, body, mostBytes, timeoutMs, signal } = asked
  const late = timeLimit(timeoutMs)
  const ended = AbortSignal.any([signal, late])
  try {
    const accepting = { ...headers, 'accept-encoding': 'gzip, br, deflate' }
    const sent = { dispatcher, method, headers: accepting, signal: ended, ...(body === undefined ? {} : { body }) }
    const response = await request(url, sent)
    const bytes = await boundedBytes(unpacked(response.body, response.headers['content-encoding']), mostBytes)
    if (bytes === null) return { kind: 'too_large', cause: new Error(`more than ${mostBytes} bytes`) }
    const { statusCode: status } = response
    return { kind: 'reply', status, text: bytes.toString('utf8'), headers: single(response.headers) }
  } catch (thrown) {
    if (signal.aborted) throw cancelled()
    return { kind: isTimeout(thrown, late) ? 'timeout' : 'network', cause: new Error(sortOf(thrown)) }
  }
}

/** The body as it was before it was packed; what is packed in another way is no text, and found to be none later. */
function unpacked(body: Readable, encoding: string | string[] | undefined): AsyncIterable<Buffer> {
  const open = typeof encoding === 'string' ? unpackers[encoding.toLowerCase()] : undefined
  // Its end, good or bad, is that of the iteration; ending the iteration ends both.
  return open === undefined ? body : pipeline(body, open(), () => undefined)
}

const unpackers: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  ...{ gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress },
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
  return late.aborted || /TIMEOUT/.test(sortOf(thrown))
}

/** Code or name of what was thrown, never its message. */
function sortOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return typeof thrown
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code
  return thrown instanceof Error ? thrown.name : 'object'
}
