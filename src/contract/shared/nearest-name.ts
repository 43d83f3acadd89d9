/** The most wrong, missing or extra letters; in a short name at most a third of it. */
const mostErrors = 2

/** The known name that was probably meant by an unknown one, or null. Letter case and `_` make no difference. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > 100) return null
  const plain = plainName(name)
  const [nearest] = known
    .map((meant) => ({ meant, errors: errorsBetween(plain, plainName(meant)) }))
    .filter(({ meant, errors }) => errors <= Math.min(mostErrors, Math.floor(meant.length / 3)))
    .sort((left, right) => left.errors - right.errors)
  return nearest?.meant ?? null
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** The Levenshtein distance, letters to insert, delete or replace; infinite where the lengths differ too much. */
function errorsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > mostErrors) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let place = 1; place <= to.length; place += 1) {
      const replaced = (row[place - 1] ?? 0) + (letter === to[place - 1] ? 0 : 1)
      next.push(Math.min((row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
