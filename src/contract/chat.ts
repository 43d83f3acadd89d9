import { z } from 'zod'
import { bounds } from './limits.ts'
import { operation } from './operation.ts'
import { empty, uuid } from './primitives.ts'
import { freeText } from './values.ts'

const role = z.enum(['user', 'assistant'])

const newMessage = z
  .strictObject({
    role: role.describe('Who speaks; what is sent as assistant is context only'),
    content: freeText.describe('The text'),
  })
  .meta({ id: 'NewChatMessage', description: 'A message to the assistant' })

const message = z
  .object({
    role: role.describe('Who spoke'),
    content: z.string().describe('The text'),
  })
  .meta({ id: 'ChatMessage', description: 'A message of a conversation' })

const streamEvent = z
  .object({
    id: z.string().describe('<stream_id>:<number>, counted from 1; resume after it'),
    role: z.literal('assistant').describe('Always assistant'),
    content: z.string().describe('The next piece of the answer; pieces join to the whole'),
  })
  .meta({ id: 'ChatStreamEvent', description: 'A piece of an answer as it is written' })

const chatInput = z.strictObject({
  messages: z
    .array(newMessage)
    .min(1)
    .max(bounds.messagesPerRequest)
    .describe('What is new in the conversation, oldest first; 1 to 100 messages'),
})

const streamId = uuid.describe('Id of the stream: the part before the colon of an event id')

const sampleStream = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const sampleInput = { messages: [{ role: 'user' as const, content: 'What is ETH worth?' }] }
const sampleEvent = { id: `${sampleStream}:1`, role: 'assistant' as const, content: 'One ETH is worth ' }

export const chat = {
  send: operation({
    kind: 'unary',
    summary: 'Ask the assistant and wait for the whole answer',
    auth: 'session',
    rate: 'chat',
    http: { method: 'POST', path: '/api/v1/chatbot/chat' },
    input: chatInput,
    output: z.object({
      messages: z.array(message).describe('The reply of the assistant'),
      model: z.string().describe('What wrote the reply').optional(),
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    onDisconnect: 'finish',
    example: {
      input: sampleInput,
      output: { messages: [{ role: 'assistant', content: 'One ETH is worth 2,496.35 USD.' }], model: 'embedded-rules' },
    },
  }),

  stream: operation({
    kind: 'stream',
    summary: 'Ask the assistant and read the answer as it is written',
    description: 'An answer goes on being written when its reader leaves; chat.resume takes it up again.',
    auth: 'session',
    rate: 'chat',
    http: { method: 'POST', path: '/api/v1/chatbot/chat/stream' },
    input: chatInput,
    output: streamEvent,
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    onDisconnect: 'finish',
    example: { input: sampleInput, output: sampleEvent },
  }),

  resume: operation({
    kind: 'stream',
    summary: 'Take up an answer that is being written or was written',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/chatbot/chat/stream/{stream_id}' },
    input: z.strictObject({
      stream_id: streamId,
      after_id: z.string().max(100).describe('Id of the last event seen; absent starts over').optional(),
    }),
    output: streamEvent,
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    example: {
      input: { stream_id: sampleStream, after_id: `${sampleStream}:1` },
      output: { ...sampleEvent, id: `${sampleStream}:2` },
    },
  }),

  stop: operation({
    kind: 'unary',
    summary: 'Stop an answer that is being written',
    description: 'Stopping one that has ended changes nothing.',
    auth: 'session',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/chatbot/chat/stream/{stream_id}/stop' },
    input: z.strictObject({ stream_id: streamId }),
    output: empty,
    errors: ['NOT_FOUND'],
    example: { input: { stream_id: sampleStream }, output: {} },
  }),

  history: operation({
    kind: 'unary',
    summary: 'Read the messages of the session, oldest first',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/chatbot/messages' },
    input: z.strictObject({}),
    output: z.object({ messages: z.array(message).describe('The conversation, oldest first') }),
    errors: [],
    example: {
      input: {},
      output: {
        messages: [...sampleInput.messages, { role: 'assistant', content: 'One ETH is worth 2,496.35 USD.' }],
      },
    },
  }),

  clear: operation({
    kind: 'unary',
    summary: 'Forget the messages of the session',
    auth: 'session',
    rate: 'default',
    http: { method: 'DELETE', path: '/api/v1/chatbot/messages' },
    input: z.strictObject({}),
    output: empty,
    errors: [],
    example: { input: {}, output: {} },
  }),
}
