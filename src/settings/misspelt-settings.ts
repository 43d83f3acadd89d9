import { nearestName } from '../contract/shared/nearest-name.ts'

/** An unknown name, and the setting that was probably meant. */
type Misspelt = { name: string; meant: string }

/** First letters that both names must share; other names belong to other programs. */
const commonStart = 2

/** The unknown names that resemble a setting, each with the nearest one. */
export function misspeltSettings(names: readonly string[], known: readonly string[]): Misspelt[] {
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const start = name.slice(0, commonStart).toUpperCase()
      const meant = nearestName(
        name,
        known.filter((setting) => setting.startsWith(start)),
      )
      return meant === null ? [] : [{ name, meant }]
    })
}
