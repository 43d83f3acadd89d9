import { expect, test } from 'vitest'
import { checkedParams } from './public-methods.ts'

test('bounds the gas of calls in all methods', () => {
  const greedy = { to: '0x00', gas: '0xffffffffffff' }
  const bounded = { to: '0x00', gas: '0x3938700' }
  expect(checkedParams('eth_call', [greedy, 'latest'])).toEqual([bounded, 'latest'])
  expect(checkedParams('eth_estimateGas', [{ ...greedy, gas: '0x5208' }])).toEqual([{ to: '0x00', gas: '0x5208' }])
  expect(checkedParams('eth_simulateV1', [{ blockStateCalls: [{ calls: [greedy] }] }])).toEqual([
    { blockStateCalls: [{ calls: [bounded] }] },
  ])
})

test('bounds the length of a fee history, and refuses invalid numbers', () => {
  expect(checkedParams('eth_feeHistory', ['0x5', 'latest', []])[0]).toBe('0x5')
  expect(checkedParams('eth_feeHistory', [`0x${'f'.repeat(17)}`, 'latest'])[0]).toBe('0x400')
  expect(checkedParams('eth_feeHistory', [1025])[0]).toBe('0x400')
  expect(() => checkedParams('eth_feeHistory', ['-1'])).toThrow('quantity')
})

test('traces only with a tracer, since the steps of a run have no bound', () => {
  const tracer = { tracer: 'callTracer' }
  expect(checkedParams('debug_traceTransaction', ['0x1', tracer])).toEqual(['0x1', tracer])
  expect(checkedParams('debug_traceCall', [{}, 'latest', tracer])).toEqual([{}, 'latest', tracer])
  for (const params of [[{}], [{}, 'latest', {}], [{}, 'latest', { tracer: null }], [{}, tracer]])
    expect(() => checkedParams('debug_traceCall', params)).toThrow('needs a tracer')
  for (const method of ['debug_traceBlockByNumber', 'debug_traceTransaction'])
    expect(() => checkedParams(method, ['0x1'])).toThrow('needs a tracer')
})

test('accepts parameters only as a list', () => {
  expect(checkedParams('eth_blockNumber', undefined)).toEqual([])
  expect(() => checkedParams('eth_blockNumber', { a: 1 })).toThrow('array')
})

test('refuses methods without a rule, and those that the gateway implements itself', () => {
  for (const method of ['anvil_setBalance', 'debug_traceBlockByHash', 'eth_newFilter', 'toString'])
    expect(() => checkedParams(method, [])).toThrow('does not exist or is not available')
})
