import { type Deprecation, soonestEnd } from '../../src/contract/shared/deprecation.ts'

/** Refuses a deprecation that ends too early, has an invalid day, or whose replacement is not among `others`. */
export function checkDeprecation(location: string, { on, sunset, use }: Deprecation, others: readonly string[]): void {
  if (!others.includes(use))
    refuse(location, `its use: '${use}' is neither another operation nor another field of the same object`)
  if (!isDay(on)) refuse(location, `its on: '${on}' is not a day`)
  const [soonest, end] = [soonestEnd(on), sunset ?? soonestEnd(on)]
  if (!isDay(end) || end < soonest) refuse(location, `its sunset: '${sunset}' is not half a year after on: '${on}'`)
}

function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

function refuse(location: string, reason: string): never {
  throw new Error(`${location} is deprecated, but ${reason}`)
}
