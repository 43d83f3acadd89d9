import { expect, test } from 'vitest'
import { checkedParams } from './public-methods.ts'

test('bounds the gas of calls wherever they are', () => {
  const greedy = { to: '0x00', gas: '0xffffffffffff' }
  const bounded = { to: '0x00', gas: '0x3938700' }
  expect(checkedParams('eth_call', [greedy, 'latest'])).toEqual([bounded, 'latest'])
  expect(checkedParams('eth_estimateGas', [{ ...greedy, gas: '0x5208' }])).toEqual([{ to: '0x00', gas: '0x5208' }])
  expect(checkedParams('eth_simulateV1', [{ blockStateCalls: [{ calls: [greedy] }] }])).toEqual([
    { blockStateCalls: [{ calls: [bounded] }] },
  ])
})

test('bounds the length of a fee history, and refuses what is no number', () => {
  expect(checkedParams('eth_feeHistory', ['0x5', 'latest', []])[0]).toBe('0x5')
  expect(checkedParams('eth_feeHistory', [`0x${'f'.repeat(17)}`, 'latest'])[0]).toBe('0x400')
  expect(checkedParams('eth_feeHistory', [1025])[0]).toBe('0x400')
  expect(() => checkedParams('eth_feeHistory', ['-1'])).toThrow('quantity')
})

test('takes no parameters but a list', () => {
  expect(checkedParams('eth_blockNumber', undefined)).toEqual([])
  expect(() => checkedParams('eth_blockNumber', { a: 1 })).toThrow('array')
})
