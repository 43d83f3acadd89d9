import { expect, test } from 'vitest'
import { z } from 'zod'
import { nearestName } from './nearest-name.ts'
import { ignoredFields, meantField } from './unknown-fields.ts'

test.each([
  ['amountIn', 'amount_in'],
  ['amount_inn', 'amount_in'],
  ['AMOUNT_IN', 'amount_in'],
  ['walet_ref', 'wallet_ref'],
  ['colour', null],
  ['x', null],
  ['__proto__', null],
  ['a'.repeat(1_000), null],
])('%s is near %s', (name, meant) => {
  expect(nearestName(name, ['amount_in', 'wallet_ref', 'id'])).toBe(meant)
})

const swap = z.strictObject({ amount_in: z.string(), legs: z.array(z.strictObject({ share: z.string() })).optional() })
const request = z.strictObject({ input: swap, wallet_ref: z.string().optional() })

test('what was meant is beside the field, or in an object beside it', () => {
  expect(meantField(request, ['input'], 'amountin')).toBe('amount_in')
  expect(meantField(request, [], 'amount_in')).toBe('input.amount_in')
  expect(meantField(request, ['input', 'legs', 0], 'shares')).toBe('share')
  expect(meantField(request, ['input', 'amount_in'], 'share')).toBeNull()
})

test('ignored fields are listed by path, up to a bound, whatever their names', () => {
  const schema = z.object({
    messages: z.array(z.object({ content: z.string() })),
    free: z.record(z.string(), z.unknown()),
  })
  const input = JSON.parse(
    '{"messages": [{"content": "a", "name": "b"}], "free": {"any": {"c": 1}}, "model": "m", "__proto__": {}, "constructor": 1}',
  )
  expect(ignoredFields(schema, input, 10)).toEqual(['messages.0.name', 'model', '__proto__', 'constructor'])
  expect(ignoredFields(schema, input, 2)).toEqual(['messages.0.name', 'model'])
})
