import { rounded } from './decimal.ts'

/** Digits that are shown of an amount: after the point, and of an amount below one after its zeros. */
const shownDigits = 6
/** Digits that are shown of dollars below one, after their zeros. */
const dollarDigits = 4

/** An amount with thousands apart, to at least six digits that count; `down` never shows more than it is. */
export function amountText(amount: string, way: 'nearest' | 'down' = 'nearest'): string {
  return grouped(rounded(amount, zerosOf(amount) + shownDigits, way))
}

/** An amount with thousands apart and all its digits. */
export function wholeAmountText(amount: string): string {
  return grouped(rounded(amount, amount.length))
}

/** US dollars to the cent; below one dollar to at least four digits that count. */
export function usdText(amount: string): string {
  const places = /^-?0(\.|$)/.test(amount) ? zerosOf(amount) + dollarDigits : 2
  const shown = withCents(rounded(amount, places))
  return shown.startsWith('-') ? `−$${grouped(shown.slice(1))}` : `$${grouped(shown)}`
}

/** The price of a unit in US dollars: at least cents, and six digits that count. */
export function priceText(price: string): string {
  const [whole = ''] = price.split('.')
  const places = whole === '0' ? zerosOf(price) + shownDigits : Math.max(2, shownDigits - whole.length)
  return `$${grouped(withCents(rounded(price, places)))}`
}

/** The zeros after the point of an amount below one; 0 for others. */
function zerosOf(amount: string): number {
  return /^-?0\.(0*)[1-9]/.exec(amount)?.[1]?.length ?? 0
}

/** A moment in UTC to the second, as 2026-01-31 12:00:00 UTC. */
export function momentText(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** How long a span of seconds is, in its two largest units. */
export function spanText(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return '0 s'
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** A hash or an address, shortened. */
export function shortHash(hash: string): string {
  return hash.length <= 20 ? hash : `${hash.slice(0, 10)}…${hash.slice(-6)}`
}

/** A word of the contract, such as not_found, as text. */
export function plainWord(word: string): string {
  return word.replaceAll('_', ' ')
}

function withCents(cents: string): string {
  const [whole, fraction = ''] = cents.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? thousands : `${thousands}.${fraction}`
}
