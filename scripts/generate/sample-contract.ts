import { z } from 'zod'
import { operation } from '../../src/contract/shared/operation.ts'
import {
  freeObject,
  hashesOrFull,
  oneOrMany,
  rows,
  timestamp,
  timestampInput,
  topics,
} from '../../src/contract/shared/primitives.ts'

/** A small contract for tests, with one of everything that the generators support. */

const common = { kind: 'unary', auth: 'none', rate: 'default', errors: [] } as const
const part = z.object({ partName: z.string(), at: timestamp }).meta({ id: 'SamplePart', description: 'A part' })
const thing = z
  .object({
    name: z.string(),
    parts: z.array(part),
    either: hashesOrFull(z.string(), part),
    table: rows(z.string()).optional(),
    owner: z.string().nullable(),
  })
  .meta({ id: 'SampleThing', description: 'A thing' })
const sampleThing = { name: 'x', parts: [], either: ['0x1'], owner: null }
const nothing = z.strictObject({})

export const sampleContract = {
  shop: {
    buy: operation({
      ...common,
      summary: 'Buy things',
      http: { method: 'POST', path: '/shop/buy' },
      input: z.strictObject({
        order: z.strictObject({ count: z.int32().min(1).max(9), ref: z.int(), limit: z.number().optional() }),
        mode: z.enum(['fast', 'slow']).describe('How').default('slow'),
        since: timestampInput.optional(),
        extra: freeObject.optional(),
        labels: z.record(z.string(), z.string()).optional(),
        from: oneOrMany(z.string().max(5), 3).optional(),
        topics: topics.optional(),
      }),
      output: thing,
      example: { input: { order: { count: 1, ref: 2 }, mode: 'fast' }, output: sampleThing },
    }),
    count: operation({
      ...common,
      summary: 'Count things',
      http: { method: 'GET', path: '/shop/count' },
      input: nothing,
      output: z.int(),
      example: { input: {}, output: 3 },
    }),
    find: operation({
      ...common,
      summary: 'Find a thing',
      rpc: { method: 'shop_find', params: ['thingName'] },
      input: z.strictObject({ thingName: z.string() }),
      output: thing.nullable(),
      example: { input: { thingName: 'x' }, output: sampleThing },
    }),
    list: operation({
      ...common,
      summary: 'List parts',
      input: nothing,
      output: z.array(part),
      example: { input: {}, output: [] },
    }),
    peek: operation({
      ...common,
      summary: 'Peek',
      input: nothing,
      output: z.unknown(),
      example: { input: {}, output: { a: null } },
    }),
  },
  news: {
    count: operation({
      ...common,
      kind: 'stream',
      summary: 'Follow the news',
      http: { method: 'GET', path: '/news/{topic}' },
      input: z.strictObject({ topic: z.string(), last_event_id: z.string().optional() }),
      output: z.object({ id: z.string(), text: z.string() }),
      example: { input: { topic: 'a' }, output: { id: 'a:1', text: 'hello' } },
    }),
  },
}
