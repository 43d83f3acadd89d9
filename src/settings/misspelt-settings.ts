/** A name that is nobody's setting, and the one that it was likely meant to be. */
export type Misspelt = { name: string; meant: string }

/** Letters that two names must begin with in common: what begins otherwise belongs to another program. */
const commonStart = 2
/** Letters that may be wrong, missing or too many; in a short name a third of it at most. */
const mostErrors = 2

/** Names that look like settings of ours without being any, each with the nearest one. */
export function misspeltSettings(names: readonly string[], known: readonly string[]): Misspelt[] {
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const [nearest] = known
        .filter((meant) => isNear(name.toUpperCase(), meant))
        .map((meant) => ({ name, meant, errors: editDistance(name.toUpperCase(), meant) }))
        .sort((left, right) => left.errors - right.errors)
      return nearest === undefined ? [] : [{ name, meant: nearest.meant }]
    })
}

function isNear(name: string, meant: string): boolean {
  if (Math.abs(name.length - meant.length) > mostErrors) return false
  if (name.slice(0, commonStart) !== meant.slice(0, commonStart)) return false
  return editDistance(name, meant) <= Math.min(mostErrors, Math.floor(meant.length / 3))
}

/** How many letters must be put in, left out or changed to make one text the other (Levenshtein). */
function editDistance(from: string, to: string): number {
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
