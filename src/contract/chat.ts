import { z } from 'zod'
import { boundedArray } from './shared/bounded.ts'
import { bounds } from './shared/limits.ts'
import { operation } from './shared/operation.ts'
import { empty, inputText, pageQuery, uuid } from './shared/primitives.ts'
import { quote, quotedSwap, riskReport } from './shared/swap-values.ts'
import { eventId, freeText } from './shared/values.ts'

const role = z.enum(['user', 'assistant']).meta({ message: 'ChatRole' })

const newMessage = z
  .object({
    role: role.describe('Who speaks; messages sent as assistant are only context'),
    content: freeText.describe('The text'),
  })
  .meta({ id: 'ChatMessageInput', message: 'NewChatMessage', description: 'A message to the assistant' })

const message = z
  .object({
    role: role.describe('Who spoke'),
    content: z.string().describe('The text'),
    incomplete: z
      .enum(['stopped', 'failed'])
      .meta({ message: 'IncompleteReason' })
      .describe('Why the answer ends early; absent where it is complete')
      .optional(),
  })
  .meta({ id: 'ChatMessage', description: 'A message of a conversation' })

const streamEvent = z
  .object({
    id: eventId.describe('<stream_id>:<number>, ascending; send it to resume after this event'),
    role: z.literal('assistant').meta({ message: 'ChatRole' }).describe('Always assistant'),
    content: z.string().describe('The next piece of the answer; the pieces together are the answer'),
    event: z
      .enum(['text', 'tool_started', 'tool_result', 'quote_card', 'risk_card', 'error', 'done'])
      .meta({ message: 'ChatEventType' })
      .describe(
        'What happened; this field and those after it are sent where events is true. The content is then empty, except for text',
      )
      .optional(),
    call_id: z.string().describe('Id of a tool call; the same from its start to its cards').optional(),
    tool: z.string().describe('Name of the tool, such as trading_quote').optional(),
    ok: z.boolean().describe('For tool_result: whether the tool succeeded').optional(),
    source: z
      .string()
      .describe('For tool_result: where its data came from, as the result says; absent where it says nothing')
      .optional(),
    quote: quote.optional(),
    risk: riskReport.optional(),
    error: z
      .object({
        code: z.string().describe('Code of the error, as in a refusal'),
        message: z.string().describe('What happened, and what to do next'),
      })
      .meta({ id: 'ChatError', description: 'Why an answer failed' })
      .optional(),
    ended: z
      .enum(['done', 'stopped'])
      .meta({ message: 'AnswerEnd' })
      .describe('For done: whether the answer is complete, or was stopped')
      .optional(),
    swap: quotedSwap.optional(),
    wallet_ref: z.string().describe('For quote_card: the wallet that a confirmation trades from').optional(),
  })
  .meta({ id: 'ChatStreamEvent', description: 'A piece of an answer as it is written' })

const events = z
  .boolean()
  .describe('True: typed events in addition to the text, named by event; absent or false: only the pieces of text')
  .optional()

/** The id of an event of an answer: the stream and the number of the event in it; an empty text is none. */
export const replyEventId = /^(?:([0-9a-fA-F-]{36}):([0-9]{1,9}))?$/

/** The cursor of a page of the history: the id of the oldest message of the page before. */
export const historyCursor = /^[1-9][0-9]{0,9}$/

const afterId = (otherwise: string) =>
  inputText
    .max(100)
    .meta({ pattern: replyEventId.source })
    .describe(`Id of the last event received; ${otherwise}`)
    .optional()

const chatInput = z.object({
  messages: boundedArray(newMessage, bounds.messagesPerRequest)
    .min(1)
    .describe('The new messages of the conversation, oldest first; 1 to 100 messages'),
  when_busy: z
    .enum(['refuse', 'queue'])
    .meta({ message: 'WhenBusy' })
    .describe(
      'If another answer of the session is being written: refuse with ALREADY_EXISTS, or wait in a queue. At most ' +
        `${bounds.queuedAnswers} requests wait, and they are lost when the gateway stops`,
    )
    .default('refuse'),
  on_disconnect: z
    .enum(['finish', 'stop'])
    .meta({ message: 'OnDisconnect' })
    .describe('What happens to the answer when the caller disconnects: it is finished, or stopped')
    .default('finish'),
})

const streamId = uuid.describe('Id of the stream: the part before the colon of an event id')

const chatErrors = [
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'LIMIT_EXCEEDED',
  'STORAGE_FULL',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
] as const

const sampleStream = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const sampleInput = { messages: [{ role: 'user' as const, content: 'What is ETH worth?' }] }
const sampleEvent = { id: `${sampleStream}:1`, role: 'assistant' as const, content: 'One ETH is worth ' }

export const chat = {
  send: operation({
    kind: 'unary',
    summary: 'Ask the assistant and wait for the whole answer',
    auth: 'session',
    scope: 'read',
    rate: 'chat',
    http: { method: 'POST', path: '/api/v1/chatbot/chat' },
    input: chatInput,
    output: z.object({
      messages: z.array(message).describe('The reply of the assistant'),
      model: z.string().describe('The model that wrote the reply').optional(),
    }),
    errors: chatErrors,
    onDisconnect: 'finish',
    example: {
      input: sampleInput,
      output: { messages: [{ role: 'assistant', content: 'One ETH is worth 2,496.35 USD.' }], model: 'embedded-rules' },
    },
  }),

  stream: operation({
    kind: 'stream',
    summary: 'Ask the assistant and read the answer as it is written',
    description:
      'An answer is written to its end even if its reader disconnects; chat.resume reads it again, as does this operation ' +
      'with after_id, which then sends no new messages.',
    auth: 'session',
    scope: 'read',
    rate: 'chat',
    http: {
      method: 'POST',
      path: '/api/v1/chatbot/chat/stream',
      emptyEvent: { role: 'assistant', content: '' },
    },
    input: chatInput.extend({
      after_id: afterId('the stream continues after it, and messages are ignored'),
      events,
    }),
    output: streamEvent,
    errors: chatErrors,
    onDisconnect: 'finish',
    example: { input: sampleInput, output: sampleEvent },
  }),

  resume: operation({
    kind: 'stream',
    summary: 'Resume an answer that is being written, or read one that is complete',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/chatbot/chat/stream/{stream_id}' },
    input: z.object({
      stream_id: streamId,
      after_id: afterId('absent: from the beginning'),
      events,
    }),
    output: streamEvent,
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED', 'STORAGE_FULL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: {
      input: { stream_id: sampleStream, after_id: `${sampleStream}:1` },
      output: { ...sampleEvent, id: `${sampleStream}:2` },
    },
  }),

  stop: operation({
    kind: 'unary',
    summary: 'Stop an answer that is being written or is queued',
    description:
      'The text so far stays in the history, marked as stopped. Stopping an answer that has ended has no effect.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/chatbot/chat/stream/{stream_id}/stop' },
    input: z.object({ stream_id: streamId }),
    output: empty,
    errors: ['NOT_FOUND'],
    example: { input: { stream_id: sampleStream }, output: {} },
  }),

  history: operation({
    kind: 'unary',
    summary: 'Read the messages of the session, oldest first',
    description:
      'All messages; with limit or cursor one page: the newest page first, and the oldest message first in each page.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/chatbot/messages' },
    input: z.strictObject({
      ...pageQuery,
      cursor: pageQuery.cursor.unwrap().meta({ pattern: historyCursor.source }).optional(),
    }),
    output: z.object({
      messages: z.array(message).describe('The conversation, oldest first'),
      next_cursor: z
        .string()
        .describe('For a page: send it as cursor to read the messages before these; absent where there are none')
        .optional(),
    }),
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
    summary: 'Delete the messages of the session',
    description: 'An answer that is being written is stopped and deleted too.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'DELETE', path: '/api/v1/chatbot/messages' },
    input: z.strictObject({}),
    output: empty,
    errors: [],
    example: { input: {}, output: {} },
  }),
}
