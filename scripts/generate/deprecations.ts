import { type Deprecation, soonestEnd } from '../../src/contract/shared/deprecation.ts'

/** Refuses an end that comes too soon or has no day, and one whose work is done by none of `others`. */
export function checkDeprecation(place: string, { on, sunset, use }: Deprecation, others: readonly string[]): void {
  if (!others.includes(use)) refuse(place, `its use: '${use}' is no other operation, and no other field beside it`)
  if (!isDay(on)) refuse(place, `its on: '${on}' is no day`)
  const [soonest, end] = [soonestEnd(on), sunset ?? soonestEnd(on)]
  if (!isDay(end) || end < soonest) refuse(place, `its sunset: '${sunset}' is not half a year after on: '${on}'`)
}

function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

function refuse(place: string, reason: string): never {
  throw new Error(`${place} is deprecated, but ${reason}`)
}
