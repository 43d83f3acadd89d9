import { endDay } from '../../src/contract/shared/deprecation.ts'
import type { Change } from './change.ts'

/** Two versions of the contract, their differences, and the day on which the second would be released. */
export type Release = { was: string; is: string; day: string; changes: readonly Change[] }

const parts = ['major', 'minor', 'patch'] as const
type Part = (typeof parts)[number]

/** The reasons why it may not be released on that day, a sentence each. Empty where it may. */
export function faultsOf({ was, is, day, changes }: Release): string[] {
  const part = partFor(was, changes)
  const raise = `Version ${is} does not follow ${was} with these changes: raise the ${part} version in package.json.`
  return [...(isRaised(was, is, part) ? [] : [raise]), ...changes.flatMap((change) => untimely(change, day))]
}

/** What breaks callers needs a new major version; before 1.0.0 a new minor one, as package managers assume too. */
function partFor(was: string, changes: readonly Change[]): Part {
  const levels = new Set(changes.map(({ level }) => level))
  if (levels.has('breaking')) return was.startsWith('0.') ? 'minor' : 'major'
  return levels.has('added') || levels.has('deprecated') ? 'minor' : 'patch'
}

/** True where this part of the version, or an earlier one, is the first that differs, and is higher. */
function isRaised(was: string, is: string, part: Part): boolean {
  const [old, now] = [was.split('.').map(Number), is.split('.').map(Number)]
  const first = parts.findIndex((_, index) => old[index] !== now[index])
  return first >= 0 && first <= parts.indexOf(part) && Number(now[first]) > Number(old[first])
}

/** A removal before its announced date, or an announcement with a date in the past. */
function untimely({ subject, text, promised, announced }: Change, day: string): string[] {
  const said = `\`${subject}\`: ${text}`
  if (promised === null) return [`${said}, but its end was not announced.`]
  const until = promised && endDay(promised)
  if (until !== undefined && until > day) return [`${said}, but was announced to stay until ${until}.`]
  if (announced !== undefined && announced.on < day)
    return [`${said} It says \`on: '${announced.on}'\`, which has gone by: say the day of the release.`]
  return []
}
