import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isRecord, parseJson } from '../../kit/values.ts'

/** Why a response broke off. */
const breakKinds = ['timeout', 'too_large', 'network'] as const

type BreakKind = (typeof breakKinds)[number]

/** The end of a response that broke off. */
export class BrokenOff extends Error {
  readonly kind: BreakKind
  constructor(kind: BreakKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** The type of the error event in which `asRead` says how a response broke off. */
const brokenType = 'trident_broken_off'

/**
 * A stream of chat completions as the library reads it, whatever the server makes of the format: without pings, arguments
 * of tools as text, and with a reason where it ends with `[DONE]` alone. A response that breaks off ends with an event that
 * says so, for a stream that fails loses what was not read yet.
 */
export function asRead(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  return ReadableStream.from(written(body, signal)).pipeThrough(new TextEncoderStream())
}

async function* written(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const rewrite = createRewriter()
  const read: string[] = []
  const parser = createParser({ onEvent: (event) => void read.push(...rewrite(event)) })
  const events = (text: string) => {
    parser.feed(text)
    return read.splice(0).map((data) => `data: ${data}\n\n`)
  }
  try {
    for await (const chunk of body) yield* events(decoder.decode(chunk, { stream: true }))
    // Some servers close without the empty line after their last event.
    yield* events(`${decoder.decode()}\n\n`)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const message = thrown instanceof BrokenOff ? thrown.kind : 'network'
    yield `data: ${JSON.stringify({ error: { message, type: brokenType } })}\n\n`
  }
}

/** How a response broke off, of an error that the library read from its stream; null for one of the server. */
export function brokenOff(error: unknown): BreakKind | null {
  if (error instanceof BrokenOff) return error.kind
  if (!isRecord(error) || error.type !== brokenType) return null
  return breakKinds.find((kind) => kind === error.message) ?? null
}

/** Events of these names, and data that is no more than one of these words, keep a connection alive. */
const ping = /^(ping|pong|heartbeat|keep-?alive)?$/i

/** Writes the data of the events of one stream anew, as none, one or two. */
function createRewriter(): (event: EventSourceMessage) => string[] {
  let reason: unknown = null
  let calls = false
  return ({ data, event = '' }) => {
    const text = data.trim()
    if (text === '[DONE]') {
      const end = { choices: [{ delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' }] }
      return reason === null ? [JSON.stringify(end), text] : [text]
    }
    if (ping.test(text) || (event !== '' && ping.test(event))) return []
    const value = parseJson(text)
    const isFailure = isRecord(value) && value.error != null
    if (event === 'error' && !isFailure) return [JSON.stringify({ error: { message: '' } })]
    // Of what is no event of the format, the library says so.
    if (!isRecord(value)) return [JSON.stringify(value ?? null)]
    if (isFailure) return [JSON.stringify(value)]
    const { error: _none, ...chunk } = value
    if (isPing(chunk)) return []
    if (!Array.isArray(chunk.choices)) return [JSON.stringify(chunk.usage == null ? chunk : { ...chunk, choices: [] })]
    const [choice, ...others] = chunk.choices
    if (!isRecord(choice)) return [JSON.stringify(chunk)]
    reason = choice.finish_reason ?? reason
    const delta = withTextArguments(choice.delta)
    calls ||= delta !== choice.delta
    return [JSON.stringify({ ...chunk, choices: [{ ...choice, delta }, ...others] })]
  }
}

/** An object such as `{"type":"ping"}`, and an empty one. */
function isPing({ type, ...others }: Record<string, unknown>): boolean {
  return Object.keys(others).length === 0 && (type === undefined || ping.test(String(type)))
}

/** A delta whose calls of tools have their arguments as text; the same where it has none. */
function withTextArguments(delta: unknown): unknown {
  if (!isRecord(delta) || !Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0) return delta
  return { ...delta, tool_calls: delta.tool_calls.map(callWithText) }
}

function callWithText(call: unknown): unknown {
  if (!isRecord(call) || !isRecord(call.function)) return call
  const { arguments: given } = call.function
  if (given == null || typeof given === 'string') return call
  return { ...call, function: { ...call.function, arguments: JSON.stringify(given) } }
}
