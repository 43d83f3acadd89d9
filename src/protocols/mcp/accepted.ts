import { createParser } from 'eventsource-parser'

/** What a caller reads, by its `accept`: the answer as JSON, or as events with what is reported before it. */
export type Accepted = 'json' | 'events' | 'both'

/** A caller that names no events is answered with JSON: libraries that send no `accept`, or any, seldom read events. */
export function acceptedBy(accept = ''): Accepted {
  if (!/\btext\/(event-stream|\*)/i.test(accept)) return 'json'
  return /\b(application\/(json|\*))|\*\/\*/i.test(accept) ? 'both' : 'events'
}

/** The answers in a text of events: one, or those of a batch; null where there is none. */
export function answersIn(events: string, isBatch: boolean): object | null {
  const answers: object[] = []
  const parser = createParser({
    onEvent({ data }) {
      const message: unknown = JSON.parse(data)
      if (typeof message === 'object' && message !== null && ('result' in message || 'error' in message))
        answers.push(message)
    },
  })
  parser.feed(events)
  return isBatch ? answers : (answers[0] ?? null)
}

/** A message as the only event of a stream. */
export function asEvents(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}
