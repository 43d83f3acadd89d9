import { expect, test } from 'vitest'
import { checkedParams as checkedWithin } from './public-requests.ts'

const checkedParams = (method: string, params: unknown) => checkedWithin(method, params, 50_000_000n)

test('bounds the gas of calls in all methods', () => {
  const greedy = { to: '0x00', gas: '0xffffffffffff' }
  const bounded = { to: '0x00', gas: '0x2faf080' }
  expect(checkedParams('eth_call', [greedy, 'latest'])).toEqual([bounded, 'latest'])
  expect(checkedParams('eth_call', [{ to: '0x00' }, 'latest'])).toEqual([bounded, 'latest'])
  expect(checkedParams('eth_estimateGas', [{ ...greedy, gas: '0x5208' }])).toEqual([{ to: '0x00', gas: '0x5208' }])
  expect(checkedParams('eth_simulateV1', [{ blockStateCalls: [{ calls: [greedy] }] }])).toEqual([
    { blockStateCalls: [{ calls: [bounded] }] },
  ])
})

test('each of 16 calls of a simulation may use the cap, and more of them divide what these may use', () => {
  const gasOf = (...gas: (number | undefined)[]) => {
    const calls = gas.map((each) => (each === undefined ? {} : { gas: `0x${each.toString(16)}` }))
    const blocks = calls.map((call) => ({ calls: [call] }))
    const [checked] = checkedParams('eth_simulateV1', [{ blockStateCalls: blocks }]) as [
      { blockStateCalls: { calls: { gas: string }[] }[] },
    ]
    return checked.blockStateCalls.flatMap(({ calls }) => calls.map((call) => Number(call.gas)))
  }
  expect(gasOf(60_000_000, undefined, 21_000)).toEqual([50_000_000, 50_000_000, 21_000])
  const many = gasOf(...Array.from({ length: 99 }, () => undefined), 21_000)
  expect(many.at(-1)).toBe(21_000)
  expect(many[0]).toBe(Math.floor((16 * 50_000_000 - 21_000) / 99))
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
  expect(checkedParams('debug_traceCall', [{}, 'latest', tracer])).toEqual([{ gas: '0x2faf080' }, 'latest', tracer])
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
