import type { Deprecation } from '../../src/contract/deprecation.ts'

/** The shortest half of a year. */
const halfYearMs = 181 * 86_400_000

/** Refuses an end that comes too soon or has no day, and one whose work is done by none of `others`. */
export function checkDeprecation(place: string, { on, sunset, use }: Deprecation, others: readonly string[]): void {
  if (!others.includes(use)) refuse(place, `its use: '${use}' is no other operation, and no other field beside it`)
  if (Number.isNaN(Date.parse(on))) refuse(place, `its on: '${on}' is no day`)
  const isSoon = sunset !== undefined && !(Date.parse(sunset) - Date.parse(on) >= halfYearMs) // also where it is no day
  if (isSoon) refuse(place, `its sunset: '${sunset}' is not half a year after on: '${on}'`)
}

function refuse(place: string, reason: string): never {
  throw new Error(`${place} is deprecated, but ${reason}`)
}
