import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import { formatUnits, parseUnits, usdNumber, usdText, usdValue } from './money.ts'

const decimals = fc.integer({ min: 0, max: 36 })
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe('units', () => {
  test('every amount survives being written and read', () => {
    fc.assert(
      fc.property(units, decimals, (value, places) => {
        expect(parseUnits(formatUnits(value, places), places)).toBe(value)
      }),
    )
  })

  test('a negative amount is the positive one with a minus', () => {
    fc.assert(
      fc.property(units, decimals, (value, places) => {
        fc.pre(value > 0n)
        expect(formatUnits(-value, places)).toBe(`-${formatUnits(value, places)}`)
      }),
    )
  })

  test.each([
    ['1.5', 6, 1_500_000n],
    ['0.000001', 6, 1n],
    ['1.5000000000', 6, 1_500_000n],
    ['007', 0, 7n],
  ])('%s with %i decimals', (text, places, value) => {
    expect(parseUnits(text, places)).toBe(value)
  })

  test('too many digits are refused, and the field is named', () => {
    expect(() => parseUnits('0.0000001', 6, 'input.amount_in')).toThrow(/input\.amount_in: has 7 digits.*at most 6/)
    expect(() => parseUnits('0.5', 0)).toThrow(/1 digit after the point, and this token takes none/)
  })

  test('hostile text is an argument error, never another one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('-1', '1e18', '0x10', ' 1', '1.', '.5', '١', '')), (text) => {
        try {
          expect(parseUnits(text, 18)).toBeGreaterThanOrEqual(0n)
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError)
          expect((error as DomainError).code).toBe('INVALID_ARGUMENT')
        }
      }),
    )
    expect(() => parseUnits('9'.repeat(78), 0)).toThrow(/more than/)
  })
})

describe('USD', () => {
  test('an amount at a price', () => {
    const value = usdValue(1_500_000_000_000_000_000n, 18, 3_000_12345678n, 8)
    expect(usdText(value)).toBe('4500.18518517')
    expect(usdNumber(value)).toBe(4500.18518517)
  })

  test('parts never sum to more than the whole, and lose less than one unit each', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (left, right) => {
        const price = 3_000_12345678n
        const parts = usdValue(left, 18, price, 8) + usdValue(right, 18, price, 8)
        const whole = usdValue(left + right, 18, price, 8)
        expect(whole - parts === 0n || whole - parts === 1n).toBe(true)
      }),
    )
  })
})
