import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDecimal, less, percent, percentOfBps, quotient, rounded, signOf, sum } from './decimal.ts'
import { amountText, momentText, priceText, shortHash, spanText, usdText, wholeAmountText } from './words.ts'

/** Decimals with up to 18 places, and the same value in units of the eighteenth. */
const decimals = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((units) => ({ units, text: textOf(units) }))

function textOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(19, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`
}

test('sums and differences are exact', () => {
  const together = fc.property(decimals, decimals, (a, b) => {
    expect(sum([a.text, b.text])).toBe(sum([textOf(a.units + b.units)]))
    expect(less(a.text, b.text)).toBe(sum([textOf(a.units - b.units)]))
    expect(signOf(less(a.text, b.text))).toBe(a.units < b.units ? -1 : a.units > b.units ? 1 : 0)
  })
  fc.assert(together)
  expect([sum(['0.1', '0.2']), sum([]), less('1', '-1')]).toEqual(['0.3', '0', '2'])
})

test('a rounded value is off by half a unit of its last place at most', () => {
  const near = fc.property(decimals, fc.nat({ max: 18 }), ({ text, units }, places) => {
    const [whole = '', fraction = ''] = rounded(text, places).split('.')
    expect(fraction.length).toBeLessThanOrEqual(places)
    const sign = whole.startsWith('-') ? -1n : 1n
    const shown = BigInt(whole) * 10n ** 18n + sign * BigInt(fraction.padEnd(18, '0'))
    const off = shown - units
    expect((off < 0n ? -off : off) * 2n <= 10n ** BigInt(18 - places)).toBe(true)
  })
  fc.assert(near)
  expect(['2.5', '-2.5', '2.4'].map((value) => rounded(value, 0))).toEqual(['3', '-3', '2'])
  expect(['2.9', '-2.9'].map((value) => rounded(value, 0, 'down'))).toEqual(['2', '-2'])
})

test('shares and basis points come in percent', () => {
  expect([percent('1', '3'), percent('2', '3'), percent('-1', '8'), percent('1', '0')]).toEqual([
    '33.33',
    '66.67',
    '-12.5',
    null,
  ])
  expect([7, 100, 1_234, 0].map(percentOfBps)).toEqual(['0.07', '1', '12.34', '0'])
})

test('a quotient is exact to its last place', () => {
  expect([quotient('1500', '0.5', 8), quotient('2', '3', 4), quotient('1', '0.0', 2)]).toEqual(['3000', '0.6667', null])
})

test('only plain decimal numbers are amounts', () => {
  expect(['1', '0.5', '007'].every(isDecimal)).toBe(true)
  expect(['', '.5', '1.', '-1', '1e3', '1,5', ' 1', '0x1'].some(isDecimal)).toBe(false)
})

test('amounts, moments and spans read well', () => {
  const amounts = ['1234567.1234567', '0.00000151', '-25000', '0', '0.000000000001']
  expect(amounts.map((amount) => amountText(amount))).toEqual([
    '1,234,567.123457',
    '0.00000151',
    '-25,000',
    '0',
    '0.000000000001',
  ])
  expect([amountText('0.4971518999', 'down'), wholeAmountText('1234.56789012345')]).toEqual([
    '0.497151',
    '1,234.56789012345',
  ])
  const dollars = ['1234.5', '-0.004', '0', '-3', '0.0153', '0.00000005', '-1.239']
  expect(dollars.map(usdText)).toEqual(['$1,234.50', '−$0.004', '$0.00', '−$3.00', '$0.0153', '$0.00000005', '−$1.24'])
  expect(['3000.1896', '1.000461', '60000', '0.015312', '1'].map(priceText)).toEqual([
    '$3,000.19',
    '$1.00046',
    '$60,000.00',
    '$0.015312',
    '$1.00',
  ])
  expect(momentText('2026-01-31T12:00:00.123Z')).toBe('2026-01-31 12:00:00 UTC')
  expect([0, 59, 3_600, 90_061].map(spanText)).toEqual(['0 s', '59 s', '1 h', '1 d 1 h'])
  expect(shortHash(`0x${'ab'.repeat(32)}`)).toBe('0xabababab…ababab')
})
