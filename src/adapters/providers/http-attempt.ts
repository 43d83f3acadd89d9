import { type Dispatcher, request } from 'undici'
import { cancelled } from '../node/coalesce.ts'

/** One exchange over HTTP: what is sent, and what bounds it. */
export type Attempt = {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
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
  const late = AbortSignal.timeout(timeoutMs)
  const ended = AbortSignal.any([signal, late])
  try {
    const sent = { dispatcher, method, headers, signal: ended, ...(body === undefined ? {} : { body }) }
    const response = await request(url, sent)
    const bytes = await boundedBytes(response.body, mostBytes)
    if (bytes === null) return { kind: 'too_large', cause: new Error(`more than ${mostBytes} bytes`) }
    const { statusCode: status } = response
    return { kind: 'reply', status, text: bytes.toString('utf8'), headers: single(response.headers) }
  } catch (thrown) {
    if (signal.aborted) throw cancelled()
    return { kind: isTimeout(thrown, late) ? 'timeout' : 'network', cause: new Error(sortOf(thrown)) }
  }
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
