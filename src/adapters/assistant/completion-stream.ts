import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isRecord, parseJson } from '../../kit/values.ts'

/** Why a response broke off. */
export type BreakKind = 'timeout' | 'too_large' | 'network'

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
  const stream = createRewriter()
  const read: string[] = []
  const parser = createParser({ onEvent: (event) => void read.push(...stream(event)) })
  try {
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      for (const data of read.splice(0)) yield `data: ${data}\n\n`
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const message = thrown instanceof BrokenOff ? thrown.kind : 'network'
    yield `data: ${JSON.stringify({ error: { message, type: brokenType } })}\n\n`
  }
}

/** How a response broke off, of an error that the library read from its stream; null for one of the server. */
export function brokenOff(error: unknown): BreakKind | null {
  if (error instanceof BrokenOff) return error.kind
  return isRecord(error) && error.type === brokenType ? (error.message as BreakKind) : null // `written` wrote it
}

/** Writes the data of the events of one stream anew, as none, one or two. */
function createRewriter(): (event: EventSourceMessage) => string[] {
  let reason: unknown = null
  let calls = false
  return ({ data, event }) => {
    if (data === '[DONE]') {
      const end = { choices: [{ delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' }] }
      return reason === null ? [JSON.stringify(end), data] : [data]
    }
    const value = parseJson(data)
    // Of what looks like JSON and is none, the library says so. Anything else is a ping.
    if (!isRecord(value)) return data.trimStart().startsWith('{') ? [data] : []
    if ('error' in value) return [data]
    if (event === 'error') return [JSON.stringify({ error: { message: '' } })]
    if (!Array.isArray(value.choices)) return 'usage' in value ? [JSON.stringify({ ...value, choices: [] })] : []
    const [choice] = value.choices
    if (!isRecord(choice)) return [data]
    reason = choice.finish_reason ?? reason
    if (!isRecord(choice.delta) || !Array.isArray(choice.delta.tool_calls)) return [data]
    calls = true
    const delta = { ...choice.delta, tool_calls: choice.delta.tool_calls.map(withTextArguments) }
    return [JSON.stringify({ ...value, choices: [{ ...choice, delta }] })]
  }
}

function withTextArguments(call: unknown): unknown {
  if (!isRecord(call) || !isRecord(call.function) || !isRecord(call.function.arguments)) return call
  return { ...call, function: { ...call.function, arguments: JSON.stringify(call.function.arguments) } }
}
