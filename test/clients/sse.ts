import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'

/** The events of a response body as eventsource-parser reads them: each with the id and the name of its own block. */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}
