import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { nativeToken } from '../ports/chains.ts'
import { canonical, tradeFacts } from './fingerprint.ts'

test('the order of fields does not matter, everything else does', () => {
  expect(canonical({ b: [1, { d: 'x', c: null }], a: true })).toBe('{"a":true,"b":[1,{"c":null,"d":"x"}]}')
  expect(canonical({ a: undefined, b: 1 })).toBe(canonical({ b: 1 }))
  expect(canonical([1, 2])).not.toBe(canonical([2, 1]))
})

test('it is the same JSON value, and the same text for the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = canonical(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonical(JSON.parse(text))).toBe(text)
    }),
  )
})

test('a trade is the same however its addresses and its amount are written', () => {
  const request = (address: string, amount_in: string) =>
    tradeFacts({ input: { token_in_address: address, token_out_address: '0xB', amount_in } })
  expect(request('0xAb', '0.50')).toEqual(request('0xaB', '00.5'))
  expect(request('0xAb', '10')).toEqual(request('0xab', '10.0'))
  expect(request('0xAb', '10').input.amount_in).not.toBe(request('0xAb', '1').input.amount_in)
})

test('defaults that are left out and those that are written down are one request', () => {
  const weth = `0x${'AB'.repeat(20)}`
  const swap = { chain_id: 1, token_in_address: weth, token_out_address: nativeToken, amount_in: '1', slippage_bps: 50 }
  const least = { input: { ...swap, simulate_only: false }, confirm: true, wallet_ref: 'w', idempotency_key: 'k' }
  const written = {
    ...least,
    skip_risk: false,
    agent: 'trading_team',
    thresholds: {},
    input: { ...least.input, amount_in_currency: 'token_units', token_out_address: `0x${'ee'.repeat(20)}` },
  }
  const facts = (request: object) => canonical(tradeFacts(contract.trading.execute.input.parse(request)))
  expect(facts(written)).toBe(facts(least))
  const others = [{ skip_risk: true }, { agent: 'carry' }, { thresholds: { max_tax_bps: 0 } }, { quote_id: 'q' }]
  const all = others.map((change) => facts({ ...written, ...change }))
  expect(new Set([...all, facts(least)]).size).toBe(others.length + 1)
})
