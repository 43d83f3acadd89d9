import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { bookedPosition } from '../shared/positions.ts'
import { timestamp, withOneof } from '../shared/primitives.ts'
import { sampleQuote, sampleSwap } from '../shared/samples.ts'
import { liveQuote, quoteInput } from '../shared/swap-values.ts'
import { eventId, haltScope, lastEventId } from '../shared/values.ts'
import { execution, sampleExecution } from './records.ts'

const haltChange = z
  .object({
    scope: haltScope,
    id: z.string().describe('Chain id or wallet address; absent for global').optional(),
    halted: z.boolean().describe('True where trading was halted, false where the halt was lifted'),
    at: timestamp.describe('When'),
  })
  .meta({ id: 'HaltChange', description: 'A halt of trading that was set or lifted' })

const { quote_id: _id, expires_at: _at, ...samplePrice } = sampleQuote
const sampleLiveQuote = { ...samplePrice, block_number: 4_211 }

/** Streams for those who look at an account or a price. */
export const tradingLive = {
  watchAccount: operation({
    kind: 'stream',
    summary: 'Follow all trades, positions and halts of the account',
    description:
      'Each event has one of execution, position and halt: a trade after a change of its state, from reserved on; a ' +
      'position after a booking; a halt that covers the account. Events are stored for 30 days. The stream goes on until ' +
      'the caller ends it.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/account/watch' },
    input: z.strictObject({
      last_event_id: lastEventId.optional(),
      from: z
        .enum(['start', 'now'])
        .meta({ message: 'WatchStart', field: 'begin_at' })
        .describe(
          'Where to begin without last_event_id: with the oldest stored event, or with the next one. With now, the first ' +
            'event has an id alone, from which the stream can be resumed',
        )
        .default('start'),
    }),
    output: withOneof(
      z.object({
        id: eventId.describe('<number>-<number>; send it to resume after this event'),
        execution: execution.optional(),
        position: bookedPosition.optional(),
        halt: haltChange.optional(),
      }),
      'change',
      ['execution', 'position', 'halt'],
    ),
    errors: ['UNAVAILABLE'],
    example: { input: { from: 'now' }, output: { id: '18-2', execution: sampleExecution } },
  }),

  watchQuote: operation({
    kind: 'stream',
    summary: 'Follow the price of a swap, block by block',
    description:
      'What trading.quote would answer now and at each new block, without a quote to trade: nothing is stored. A reader that ' +
      'is slower than the blocks misses those between. The stream ends after ten minutes; open it again to go on. An ' +
      `account has at most ${bounds.liveQuotes.most} open at once.`,
    auth: 'session',
    scope: 'read',
    rate: 'default',
    openAtOnce: bounds.liveQuotes.most,
    http: { method: 'POST', path: '/api/v1/multi-agent/quote/evm/watch' },
    input: quoteInput,
    output: liveQuote,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: { input: { input: sampleSwap }, output: sampleLiveQuote },
  }),
}
