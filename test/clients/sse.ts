/** One event of text/event-stream; `event` is `message` where the stream names none. */
export type SseEvent = { event: string; id: string; data: string }

/** Parses the events of a response body like a browser: `id` is the last one sent, comments are skipped. */
export async function* sseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent, void, undefined> {
  let left = ''
  let id = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (left + text).split('\n\n')
    left = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n').map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
      })
      const field = (name: string) => lines.filter(([key]) => key === name).map(([, value]) => value)
      id = field('id').at(-1) ?? id
      const data = field('data')
      if (data.length > 0 || field('event').length > 0)
        yield { event: field('event').at(-1) ?? 'message', id, data: data.join('\n') }
    }
  }
}
