/**
 * Exact arithmetic on decimal numbers as text, such as `-12.5`. Amounts are never numbers of JavaScript, which round:
 * 0.1 + 0.2 is not 0.3 there.
 */
type Decimal = { digits: bigint; scale: number }

/** True of a decimal number as the gateway takes it: digits, with a point or without. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text)
}

/** The sum of decimals. */
export function sum(values: readonly string[]): string {
  const all = values.map(parse)
  const scale = Math.max(0, ...all.map((value) => value.scale))
  return write({ digits: all.reduce((total, value) => total + digitsAt(value, scale), 0n), scale })
}

/** The first less the second. */
export function less(from: string, amount: string): string {
  return sum([from, amount.startsWith('-') ? amount.slice(1) : `-${amount}`])
}

/** A part of a whole in percent, to two places; null where the whole is zero. */
export function percent(part: string, whole: string): string | null {
  const share = quotient(part, whole, 4)
  return share === null ? null : timesHundred(share)
}

/** The first divided by the second, to as many places; null where the second is zero. */
export function quotient(dividend: string, divisor: string, places: number): string | null {
  const [above, below] = [parse(dividend), parse(divisor)]
  if (below.digits === 0n) return null
  const digits = divideRounded(
    above.digits * 10n ** BigInt(places + below.scale),
    below.digits * 10n ** BigInt(above.scale),
  )
  return write({ digits, scale: places })
}

/** Basis points, of which 100 are a percent, in percent. */
export function percentOfBps(bps: number): string {
  return write({ digits: BigInt(bps), scale: 2 })
}

/** A decimal with as many places at most, without zeros at its end: the nearest, half away from zero, or the next towards zero. */
export function rounded(value: string, places: number, way: 'nearest' | 'down' = 'nearest'): string {
  const { digits, scale } = parse(value)
  if (scale <= places) return write({ digits, scale })
  const divisor = 10n ** BigInt(scale - places)
  return write({ digits: way === 'down' ? digits / divisor : divideRounded(digits, divisor), scale: places })
}

/** Below, at or above zero. */
export function signOf(value: string): -1 | 0 | 1 {
  const { digits } = parse(value)
  return digits === 0n ? 0 : digits < 0n ? -1 : 1
}

/** A hundred times as much. */
function timesHundred(value: string): string {
  const { digits, scale } = parse(value)
  return write({ digits: digits * 100n, scale })
}

function parse(value: string): Decimal {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === '') throw new Error(`${value} is not a decimal number.`)
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length }
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}

function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const [above, below] = [magnitude(dividend), magnitude(divisor)]
  const quotient = (above * 2n + below) / (below * 2n)
  return negative ? -quotient : quotient
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

function write({ digits, scale }: Decimal): string {
  const text = magnitude(digits)
    .toString()
    .padStart(scale + 1, '0')
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale).replace(/0+$/, '')]
  return `${digits < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
