/** Figures for people. What is traded or confirmed is never shown through these. */

const scale = 18
const unit = 10n ** BigInt(scale)
/** The most digits of an amount, from its first that is not zero. */
const mostDigits = 8

/** A decimal, below zero too, in units of 1e-18; further digits are cut. */
export function fixed(value: unknown): bigint {
  const text = typeof value === 'number' ? value.toFixed(scale) : String(value ?? '0')
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`${text} is no decimal.`)
  const units = BigInt(whole) * unit + BigInt(part.padEnd(scale, '0').slice(0, scale))
  return sign === '-' ? -units : units
}

export function sumOf(values: readonly unknown[]): bigint {
  return values.reduce((sum: bigint, value) => sum + fixed(value), 0n)
}

/** What an amount is worth at a price of its unit, in 1e-18 USD. */
export function worthOf(amount: unknown, price: unknown): bigint {
  return (fixed(amount) * fixed(price)) / unit
}

/** Dollars with two digits, or none where they are whole; a smaller worth that is not zero has its first two digits. */
export function usd(value: unknown): string {
  const units = typeof value === 'bigint' ? value : fixed(value)
  const size = units < 0n ? -units : units
  if (size === 0n) return '0'
  const text = size < unit / 100n ? digitsOf(size, 2) : decimalOf(size, 2)
  return `${units < 0n ? '-' : ''}${text.endsWith('.00') ? text.slice(0, -3) : text}`
}

/** A price of a unit: dollars and cents, or six digits from the first where it is below a dollar. */
export function price(value: unknown): string {
  const units = fixed(value)
  return units < unit ? digitsOf(units, 6) : usd(units)
}

/** An amount of a token with at most so many digits from its first, eight unless given. */
export function amount(value: unknown, most = mostDigits): string {
  const units = typeof value === 'bigint' ? value : fixed(value)
  return units < 0n ? `-${digitsOf(-units, most)}` : digitsOf(units, most)
}

/** A share of a whole in percent, with two digits and its sign. */
export function percent(change: bigint, of: bigint): string {
  if (of === 0n) return '0'
  const text = usd((change * 100n * unit) / of)
  return change > 0n ? `+${text}` : text
}

/** Rounded to digits behind the point. */
function decimalOf(units: bigint, places: number): string {
  const step = 10n ** BigInt(scale - places)
  const rounded = (units + step / 2n) / step
  const text = rounded.toString().padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Rounded to digits from the first that is not zero; whole numbers keep all of theirs. */
function digitsOf(units: bigint, most: number): string {
  const length = units.toString().length
  const places = Math.max(0, Math.min(scale, scale - length + most))
  const text = decimalOf(units, places)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** The beginning of a moment: its day and minute in UTC. */
export function moment(value: unknown): string {
  return `${String(value).slice(0, 16).replace('T', ' ')} UTC`
}
