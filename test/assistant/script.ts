/** What the model server sends for one request. */
export type Turn = {
  /** The status, 200 unless given. */
  status?: number
  headers?: Record<string, string>
  /**
   * Events of the response; a text is sent as it is, `raw` without being made an event, anything else as JSON. `{{name}}`
   * is replaced by that field of a tool's result.
   */
  events: readonly unknown[]
  /**
   * How it ends: normally, without its last event, without further bytes, with a closed socket, with a comment every so many
   * milliseconds, or with further events once `goOn` is called.
   */
  end: 'done' | 'early' | 'stall' | 'cut' | { pingMs: number } | { later: readonly unknown[] }
}

/**
 * The responses of a conversation, one for each request; the last one is repeated. A message names its script as
 * `#name`; the last name counts.
 */
export type Script = readonly Turn[]

/** A request as the model server received it. */
export type SeenRequest = {
  authorization: string | undefined
  body: {
    stream?: boolean
    max_tokens?: number
    messages: {
      role: string
      content: string | null
      reasoning_content?: string
      tool_calls?: unknown[]
      tool_call_id?: string
    }[]
    tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[]
  }
  /** True where the caller disconnected before the end of the response. */
  left: boolean
}

export const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chat-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason }],
})

/** Pieces of text. */
export const says = (...pieces: string[]): object[] => pieces.map((content) => chunk({ role: 'assistant', content }))

/** A tool call whose arguments are split into so many parts. */
export function calls(name: string, given: object | string, { index = 0, parts = 1 } = {}): object[] {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const size = Math.ceil(text.length / parts)
  const pieces = Array.from({ length: parts }, (_, part) => text.slice(part * size, (part + 1) * size))
  const [first = '', ...rest] = pieces
  const call = { index, id: `call-${index}-${name}`, type: 'function', function: { name, arguments: first } }
  return [
    chunk({ role: 'assistant', tool_calls: [call] }),
    ...rest.map((more) => chunk({ tool_calls: [{ index, function: { arguments: more } }] })),
  ]
}

/** A whole answer: its events, the reason of its end, and its tokens. */
export function turn(events: readonly object[], reason = 'stop', usage = [100, 10]): Turn {
  const [prompt_tokens = 0, completion_tokens = 0] = usage
  const cost = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  return { events: [...events, chunk({}, reason), { ...chunk({}), choices: [], usage: cost }], end: 'done' }
}

/** An answer that calls several tools. */
export const callsOf = (...events: object[][]): Turn => turn(events.flat(), 'tool_calls')

/** An error in the format of OpenAI, whose message must not be shown to anybody. */
export const refuses = (status: number, headers: Record<string, string> = {}): Turn => ({
  status,
  headers,
  events: [JSON.stringify({ error: { message: `provider words ${status}`, type: 'error' } })],
  end: 'done',
})
