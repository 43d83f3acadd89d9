import { linesOf } from './lines.ts'

/** A client of MCP on the one side, by lines of JSON, and a running gateway on the other. */
export type Ends = {
  input: AsyncIterable<Uint8Array>
  write(line: string): void
  endpoint: URL
  token: string
}

type Id = string | number
type Message = { id?: Id; method?: string; params?: Record<string, unknown> }
type Answer = { id?: Id | null; result?: { protocolVersion?: string }; error?: unknown }

/** Requests that may wait for the gateway at once. */
const mostOpen = 32

const longestLine = 1_048_576

/** JSON-RPC's codes for what is no message, for too many of them, and for a gateway that does not answer. */
const codes = { unreadable: -32_700, refused: -32_000, failed: -32_603 }

/**
 * Sends each line of the input to the gateway, and writes each message that comes back as a line. It ends with the input,
 * once every request is answered. Every request gets an answer: where the gateway sends none, an error.
 */
export async function bridge(ends: Ends): Promise<void> {
  const open = new Map<Id, AbortController>()
  const running = new Set<Promise<void>>()
  const session: Session = { version: undefined }
  for await (const line of linesOf(ends.input, longestLine)) {
    if (line?.trim() === '') continue
    const messages = line === null ? [] : messagesIn(line)
    if (messages.length === 0) fail(ends, null, codes.unreadable, 'A line is one message of at most 1 MiB, or a batch.')
    // A message goes on as it was written; those of a batch are written anew.
    for (const message of messages)
      take(message, messages.length === 1 && line !== null ? line : JSON.stringify(message))
  }
  await Promise.all(running)

  function take(message: Message, body: string): void {
    const { id, method, params } = message
    if (method === 'notifications/cancelled') open.get(params?.requestId as Id)?.abort()
    if (id !== undefined && open.size >= mostOpen) {
      fail(ends, id, codes.refused, `${mostOpen} requests wait already. Send this again when one is answered.`)
      return
    }
    const controller = new AbortController()
    if (id !== undefined) open.set(id, controller)
    const sent = exchange(ends, session, message, body, controller.signal).finally(() => {
      if (id !== undefined) open.delete(id)
      running.delete(sent)
    })
    running.add(sent)
  }
}

/** The messages of a line: one, or those of a batch, as older clients send them. None where it is neither. */
function messagesIn(line: string): Message[] {
  const value = readJson(line)
  const messages = Array.isArray(value) ? value : [value]
  return messages.every((one) => isObject(one)) ? messages : []
}

/** The revision that a client of 2025 has agreed on; a newer one says it in each message. */
type Session = { version: string | undefined }

/** Sends one message, and writes what comes back. */
async function exchange(
  ends: Ends,
  session: Session,
  message: Message,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  const { id } = message
  if (message.method === undefined && ('result' in message || 'error' in message)) return // the gateway asks nothing
  let isAnswered = id === undefined
  const forward = (text: string) => {
    const answer = parsed(text) as Answer | null
    if (answer === null) return
    session.version = answer.result?.protocolVersion ?? session.version
    if (answer.id === id && ('result' in answer || 'error' in answer)) isAnswered = true
    ends.write(`${JSON.stringify(answer)}\n`)
  }
  const why = await deliver(ends, headersOf(message, ends.token, session.version), body, signal, forward)
  if (!isAnswered && !signal.aborted && id !== undefined) fail(ends, id, ...why)
}

/** Posts a message and forwards the answers. Returns what to say where none of them answers the request. */
async function deliver(
  { endpoint }: Ends,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  forward: (text: string) => void,
): Promise<[code: number, message: string]> {
  try {
    const response = await fetch(endpoint, { method: 'POST', headers, body, signal })
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) await eachEvent(response, forward)
    else if (type.startsWith('application/json')) forward(await response.text())
    else if (!response.ok) return refusalOf(response.status, await response.text())
    return [codes.failed, `The gateway at ${endpoint.origin} sent no answer. Is it one, and did it stop?`]
  } catch (failure) {
    const cause = failure instanceof Error && failure.cause instanceof Error ? `: ${failure.cause.message}` : ''
    return [codes.failed, `The gateway at ${endpoint.origin} does not answer${cause}. Is it running?`]
  }
}

/** The headers that the newest revision demands. */
function headersOf({ method, params }: Message, token: string, version: string | undefined): Record<string, string> {
  const meta = params?._meta as Record<string, unknown> | undefined
  const revision = meta?.['io.modelcontextprotocol/protocolVersion'] ?? version
  const name = params?.name ?? params?.uri
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(typeof revision === 'string' ? { 'mcp-protocol-version': headerText(revision) } : {}),
    ...(typeof method === 'string' ? { 'mcp-method': headerText(method) } : {}),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** A text as MCP puts it into a header: as it is, or in base64 where a header could not carry it. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** The words of a problem document, which no client of MCP reads. */
function refusalOf(status: number, text: string): [code: number, message: string] {
  const { code, detail } = (parsed(text) ?? {}) as { code?: string; detail?: string }
  if (detail === undefined) return [codes.refused, `The gateway answers with the status ${status}.`]
  return [codes.refused, code === undefined ? detail : `${code}: ${detail}`]
}

function fail({ write }: Ends, id: Id | null, code: number, message: string): void {
  write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
}

/** The texts of the events of a response. */
async function eachEvent({ body }: Response, take: (text: string) => void): Promise<void> {
  if (body === null) return
  let data: string[] = []
  for await (const line of linesOf(body, Number.POSITIVE_INFINITY)) {
    const text = line?.replace(/\r$/, '') ?? ''
    if (text.startsWith('data:')) data.push(text.slice(5).replace(/^ /, ''))
    if (text !== '' || data.length === 0) continue
    take(data.join('\n'))
    data = []
  }
}

/** The object of a JSON text; null for anything else. */
function parsed(text: string): object | null {
  const value = readJson(text)
  return isObject(value) ? value : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined where it is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
