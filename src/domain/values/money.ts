import { invalid } from '../core/errors.ts'

/** Amounts are whole numbers of a token's smallest unit, USD values whole numbers of 1e-18 dollars. */
const usdDecimals = 18
const largest = 2n ** 256n - 1n

/**
 * Reads decimal text such as `1.5` into smallest units. `path` is the input field that an error names: text that is
 * not a decimal, has more digits than the unit, or exceeds 256 bits is INVALID_ARGUMENT. `unit` names what the amount
 * counts, for the error text.
 */
export function parseUnits(text: string, decimals: number, path = 'amount', unit = 'this token'): bigint {
  const match = /^(\d{1,78})(?:\.(\d{1,78}))?$/.exec(text)
  if (match === null) throw invalid(path, 'must be a decimal such as 1.5')
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  if (fraction.length > decimals) {
    const places = decimals === 0 ? 'none' : `at most ${decimals}`
    const digits = fraction.length === 1 ? '1 digit' : `${fraction.length} digits`
    throw invalid(path, `has ${digits} after the point, and ${unit} takes ${places}`, 'too_precise')
  }
  const value = BigInt((match[1] ?? '') + fraction.padEnd(decimals, '0'))
  if (value > largest) throw invalid(path, 'is more than a token amount can hold', 'too_big')
  return value
}

/** Smallest units as decimal text without trailing zeros; the reverse of `parseUnits`. */
export function formatUnits(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The value of an amount at a price per whole token, in 1e-18 USD, rounded toward zero. */
export function usdValue(amount: bigint, decimals: number, price: bigint, priceDecimals: number): bigint {
  return (amount * price * 10n ** BigInt(usdDecimals)) / 10n ** BigInt(decimals + priceDecimals)
}

/** A value of 1e-18 USD as decimal text. */
export function usdText(value: bigint): string {
  return formatUnits(value, usdDecimals)
}

/** A value of 1e-18 USD as decimal text, rounded to cents, for estimates. */
export function usdCentsText(value: bigint): string {
  return formatUnits((value + 5n * 10n ** 15n) / 10n ** 16n, 2)
}

/** A value of 1e-18 USD as a JSON number, for outputs only: about 15 digits are exact. */
export function usdNumber(value: bigint): number {
  return Number(usdText(value))
}
