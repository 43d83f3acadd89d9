import { expect, test } from 'vitest'
import { acceptedBy, answersIn } from './accepted.ts'

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/json;q=0.9, */*;q=0.1', 'json'],
  ['text/event-stream', 'events'],
  ['Text/Event-Stream', 'events'],
  ['text/*', 'events'],
  ['application/json, text/event-stream', 'both'],
  ['text/event-stream, */*', 'both'],
] as const)('a caller that accepts %s reads %s', (accept, form) => {
  expect(acceptedBy(accept)).toBe(form)
})

test('of events only the answers are JSON, for a batch in a list', () => {
  const events = [
    { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, error: { code: -32_602, message: 'No.' } },
  ]
  const text = events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join('')
  expect(answersIn(text, false)).toEqual(events[1])
  expect(answersIn(text, true)).toEqual(events.slice(1))
  expect(answersIn(': ping\n\n', false)).toBeNull()
})
