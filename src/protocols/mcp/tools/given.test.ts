import { expect, test } from 'vitest'
import { z } from 'zod'
import { meantBy } from './given.ts'

const schema = z.strictObject({
  token: z.string(),
  chain_id: z.int().optional(),
  slippage: z.number().default(50),
  note: z.string().optional(),
  more: z.record(z.string(), z.unknown()).optional(),
})

test.each([
  [{ token: 'ETH', chain_id: null, note: null }, { token: 'ETH' }],
  [{ token: 'ETH', chain_id: '', note: '' }, { token: 'ETH' }],
  [
    { token: 'ETH', chain_id: '84532', slippage: '-0.5' },
    { token: 'ETH', chain_id: 84_532, slippage: -0.5 },
  ],
  [
    { token: '', chain_id: 1 },
    { token: '', chain_id: 1 },
  ],
  [
    { token: '7', chain_id: '1e3', slippage: ' 1' },
    { token: '7', chain_id: '1e3', slippage: ' 1' },
  ],
  [
    { token: 'ETH', chain_id: '007', other: '' },
    { token: 'ETH', chain_id: '007', other: '' },
  ],
  [
    { token: 'ETH', more: { a: null, b: '' } },
    { token: 'ETH', more: { a: null, b: '' } },
  ],
  ['text', 'text'],
  [[1], [1]],
])('%j means %j', (given, meant) => {
  expect(meantBy(schema, given)).toEqual(meant)
})
