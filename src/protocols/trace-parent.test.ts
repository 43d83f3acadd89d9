import { expect, test } from 'vitest'
import { traceParentOf } from './caller.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test('a traceparent is read according to its standard', () => {
  expect(traceParentOf(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, sampled: true })
  expect(traceParentOf(`00-${traceId}-${spanId}-02`)).toEqual({ traceId, spanId, sampled: false })
  expect(traceParentOf(`cc-${traceId}-${spanId}-01-what-comes-later`)).toEqual({ traceId, spanId, sampled: true })
})

test.each([
  undefined,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('%s is none', (header) => {
  expect(traceParentOf(header)).toBeNull()
})
