/** An unknown name, and the setting that was probably meant. */
export type Misspelt = { name: string; meant: string }

/** First letters that both names must share; other names belong to other programs. */
const commonStart = 2
/** The most wrong, missing or extra letters; in a short name at most a third of it. */
const mostErrors = 2

/** The unknown names that resemble a setting, each with the nearest one. */
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

/** The Levenshtein distance: letters to insert, delete or replace. */
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
