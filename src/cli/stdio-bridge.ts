import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

/** A client of MCP on the one side, by lines of JSON, and a running gateway on the other. */
export type Ends = { input: Readable; write(line: string): void; endpoint: URL; token: string }

type Message = { id?: string | number; method?: string; params?: Record<string, unknown> }

/** Requests that wait for the gateway at once; the next lines are read when one of them is answered. */
const mostOpen = 32

const longestLine = 1_048_576

/**
 * Sends each line of the input to the gateway, and writes each message that comes back as a line. It ends with the input,
 * once every request is answered. A request that fails is answered with an error, so that its client never waits in vain.
 */
export async function bridge(ends: Ends): Promise<void> {
  const open = new Map<string | number, AbortController>()
  const running = new Set<Promise<void>>()
  let version: string | undefined
  const note = (result: unknown) => {
    const { protocolVersion } = (result ?? {}) as { protocolVersion?: string }
    version = protocolVersion ?? version
  }
  for await (const line of createInterface({ input: ends.input })) {
    if (line.trim() === '') continue
    const message = line.length > longestLine ? null : parsed(line)
    if (message === null) {
      reply(ends, undefined, -32_700, 'The line is no message of at most 1 MiB.')
      continue
    }
    if (message.method === 'notifications/cancelled') open.get(message.params?.requestId as string)?.abort()
    const controller = new AbortController()
    if (message.id !== undefined) open.set(message.id, controller)
    const sent = send(ends, message, line, version, controller.signal, note).finally(() => {
      if (message.id !== undefined) open.delete(message.id)
      running.delete(sent)
    })
    running.add(sent)
    if (running.size >= mostOpen) await Promise.race(running)
  }
  await Promise.all(running)
}

async function send(
  ends: Ends,
  message: Message,
  body: string,
  version: string | undefined,
  signal: AbortSignal,
  note: (result: unknown) => void,
): Promise<void> {
  const headers = headersOf(message, ends.token, version)
  try {
    const response = await fetch(ends.endpoint, { method: 'POST', headers, body, signal })
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) await eachEvent(response, (text) => forward(ends, text, note))
    else if (type.startsWith('application/json')) forward(ends, await response.text(), note)
    else if (!response.ok) refuse(ends, message, response.status, await response.text())
  } catch (failure) {
    if (signal.aborted) return
    const why = failure instanceof Error && failure.cause instanceof Error ? `: ${failure.cause.message}` : ''
    if (message.id !== undefined)
      reply(ends, message.id, -32_603, `The gateway at ${ends.endpoint.origin} does not answer${why}. Is it running?`)
  }
}

/** The headers that the newest revision demands; a message says its revision itself, unless its client is of 2025. */
function headersOf({ method, params }: Message, token: string, version: string | undefined): Record<string, string> {
  const meta = params?._meta as Record<string, unknown> | undefined
  const revision = meta?.['io.modelcontextprotocol/protocolVersion'] ?? version
  const name = params?.name ?? params?.uri
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(typeof revision === 'string' ? { 'mcp-protocol-version': revision } : {}),
    ...(method === undefined ? {} : { 'mcp-method': encodeURI(method) }),
    ...(typeof name === 'string' ? { 'mcp-name': encodeURI(name) } : {}),
  }
}

/** Writes what the gateway answered, on one line. */
function forward({ write }: Ends, text: string, note: (result: unknown) => void): void {
  const message = parsed(text) as { result?: unknown } | null
  if (message === null) return
  note(message.result)
  write(`${JSON.stringify(message)}\n`)
}

/** Answers for the gateway where it refused with a problem document, which no client of MCP reads. */
function refuse(ends: Ends, { id }: Message, status: number, text: string): void {
  const { detail = `The gateway answered with ${status}.`, code } = (parsed(text) ?? {}) as {
    detail?: string
    code?: string
  }
  if (id !== undefined) reply(ends, id, -32_000, code === undefined ? detail : `${code}: ${detail}`)
}

function reply({ write }: Ends, id: Message['id'], code: number, message: string): void {
  write(`${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })}\n`)
}

/** The texts of the events of a response. */
async function eachEvent(response: Response, take: (text: string) => void): Promise<void> {
  let data: string[] = []
  if (response.body === null) return
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    if (line !== '' || data.length === 0) continue
    take(data.join('\n'))
    data = []
  }
}

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
