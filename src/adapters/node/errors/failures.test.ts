import { expect, test } from 'vitest'
import { provesNothing } from './failures.ts'
import { nodeError } from './node-errors.ts'

test.each([
  [-32000, 'header not found'],
  [-32000, 'header for hash not found'],
  [-32000, 'hash 0xab is not currently canonical'],
  [-32001, 'Resource not found'],
  [-32000, 'unknown block'],
  [-32005, 'limit exceeded'],
])('%i, %s, says nothing about the contract', (code, message) => {
  expect(provesNothing(nodeError('eth_call', { code, message }))).toBe(true)
})

test.each([
  [3, 'execution reverted: header not found'],
  [3, 'execution reverted'],
  [-32000, 'out of gas'],
])('%i, %s, is an answer', (code, message) => {
  expect(provesNothing(nodeError('eth_call', { code, message }))).toBe(false)
})
