import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { bookedPosition } from '../shared/positions.ts'
import { timestamp } from '../shared/primitives.ts'
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
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/account/watch' },
    input: z.strictObject({
      last_event_id: lastEventId.optional(),
      from: z
        .enum(['start', 'now'])
        .describe(
          'Where to begin without last_event_id: with the oldest stored event, or with the next one. With now, the first ' +
            'event has an id alone, from which the stream can be resumed',
        )
        .default('start'),
    }),
    output: z.object({
      id: eventId.describe('<number>-<number>; send it to resume after this event'),
      execution: execution.optional(),
      position: bookedPosition.optional(),
      halt: haltChange.optional(),
    }),
    errors: ['UNAVAILABLE'],
    example: { input: { last_event_id: '17-2' }, output: { id: '18-2', execution: sampleExecution } },
  }),
}
