import { rounded } from './decimal.ts'

/** Digits after the point that are shown of an amount of tokens; the whole amount is in its title. */
const shownPlaces = 6

/** An amount with thousands apart, to six places. One that would round to nothing is shown whole. */
export function amountText(amount: string): string {
  const short = rounded(amount, shownPlaces)
  return grouped(/^-?0$/.test(short) ? rounded(amount, 18) : short)
}

/** US dollars to the cent; amounts below one cent to six places. */
export function usdText(amount: string): string {
  const cents = rounded(amount, 2)
  const small = rounded(amount, shownPlaces)
  const shown = /^-?0$/.test(cents) && !/^-?0$/.test(small) ? small : withCents(cents)
  return shown.startsWith('-') ? `−$${grouped(shown.slice(1))}` : `$${grouped(shown)}`
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
