import fc from 'fast-check'
import { expect, test } from 'vitest'
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
