import { formatUnits } from './money.ts'

/** An exact number: `units` over ten to the power of `scale`. */
export type Decimal = { units: bigint; scale: number }

/** Most digits on either side of the decimal point; a longer number is not an amount. */
export const mostDigits = 36

/** Most decimal digits of a fraction such as 1/8. */
const fractionDigits = 18

/** What separates thousands where one mark stands before exactly three digits: a comma, as in English, or nobody knows. */
export type Thousands = 'comma' | 'none'

/** `1.500` and `1,500`, which are one and a half or fifteen hundred. */
const ambiguous = /^[1-9]\d{0,2}([.,])\d{3}$/

/** Thousands separated by one kind of mark, as in `1,000.5`, `1_000` and `1'000`. */
const grouped = /^[1-9]\d{0,2}([,_'])\d{3}(?:\1\d{3})*(?:\.\d+)?$/
/** `1.000,50`. */
const groupedByDots = /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/
/** A comma is a decimal point where it cannot separate thousands: `0,5`, `12,50`, `1,2345`. */
const pointedByComma = /^(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+)$/
const plain = /^(?:\d+|\d*\.\d+)$/

/** The number in a text of digits; null where it is ambiguous or not a number. */
export function decimalOf(text: string, thousands: Thousands = 'comma'): Decimal | null {
  if (text.length > 3 * mostDigits) return null
  const [, body = '', exponent = '0'] = /^(.*?)(?:e([+-]?\d{1,2}))?$/.exec(text) ?? []
  const digits = pointed(body, thousands)
  if (digits === null) return fractionOf(text)?.value ?? null
  const [whole = '', fraction = ''] = digits.split('.')
  return shifted({ units: BigInt(whole + fraction), scale: fraction.length }, Number(exponent))
}

/** The digits without separators, with a decimal point. */
function pointed(body: string, thousands: Thousands): string | null {
  const [, mark] = ambiguous.exec(body) ?? []
  if (mark !== undefined && !(mark === ',' && thousands === 'comma')) return null
  if (plain.test(body)) return body
  if (grouped.test(body)) return body.replace(/[,_']/g, '')
  if (groupedByDots.test(body)) return body.replaceAll('.', '').replace(',', '.')
  return pointedByComma.test(body) ? body.replace(',', '.') : null
}

/** A fraction below one such as `2/4`: in lowest terms, and as a decimal where that is exact. */
export function fractionOf(text: string): { lowest: string; value: Decimal | null } | null {
  const [, above, below] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  const [part, whole] = [BigInt(above ?? 0), BigInt(below ?? 0)]
  if (part === 0n || part >= whole) return null
  const divisor = greatestDivisor(part, whole)
  const units = part * 10n ** BigInt(fractionDigits)
  const value = units % whole === 0n ? { units: units / whole, scale: fractionDigits } : null
  return { lowest: `${part / divisor}/${whole / divisor}`, value }
}

export function greatestDivisor(left: bigint, right: bigint): bigint {
  return right === 0n ? left : greatestDivisor(right, left % right)
}

/** A number as decimal text without redundant zeros. */
export function decimalText({ units, scale }: Decimal): string {
  return formatUnits(units, scale)
}

/** Moves the point to the right, or to the left where `places` is negative. */
export function shifted({ units, scale }: Decimal, places: number): Decimal {
  const moved = scale - places
  return moved >= 0 ? { units, scale: moved } : { units: units * 10n ** BigInt(-moved), scale: 0 }
}

export function sum(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const aligned = [left, right].map((part) => part.units * 10n ** BigInt(scale - part.scale))
  return { units: aligned.reduce((total, part) => total + part), scale }
}

/** True where the number has no more digits than an amount may have. */
export function fits({ units, scale }: Decimal): boolean {
  const digits = units.toString().length
  return digits - scale <= mostDigits && scale <= mostDigits
}
