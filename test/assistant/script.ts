/** What the model server sends for one request. */
export type Turn = {
  /** In place of 200. */
  status?: number
  headers?: Record<string, string>
  /** Events of the answer; a text is sent as it is, anything else as JSON. `{{name}}` stands for that field of a tool's result. */
  events: readonly unknown[]
  /** After the events: well, without a further byte, with the socket torn, or with a comment every so many milliseconds. */
  end: 'done' | 'stall' | 'cut' | { pingMs: number }
}

/** The turns of a conversation, one a request; the last one is repeated. A message names its script as `#name`, the last one where it names several. */
export type Script = readonly Turn[]

/** What the model server saw of a request. */
export type SeenRequest = {
  authorization: string | undefined
  body: {
    stream?: boolean
    max_tokens?: number
    messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[]
    tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[]
  }
  /** The caller closed the connection before the answer was whole. */
  left: boolean
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chat-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason }],
})

/** Pieces of text. */
export const says = (...pieces: string[]): object[] => pieces.map((content) => chunk({ role: 'assistant', content }))

/** A call of a tool, its arguments split into so many parts. */
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

/** A whole answer: its events, why it ended, and what it cost. */
export function turn(events: readonly object[], reason = 'stop', usage = [100, 10]): Turn {
  const [prompt_tokens = 0, completion_tokens = 0] = usage
  const cost = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  return { events: [...events, chunk({}, reason), { ...chunk({}), choices: [], usage: cost }], end: 'done' }
}

/** An answer that calls tools, all at once. */
export const callsOf = (...events: object[][]): Turn => turn(events.flat(), 'tool_calls')

/** A refusal in the shape of OpenAI, whose words nobody may be shown. */
export const refuses = (status: number, headers: Record<string, string> = {}): Turn => ({
  status,
  headers,
  events: [JSON.stringify({ error: { message: `provider words ${status}`, type: 'error' } })],
  end: 'done',
})
