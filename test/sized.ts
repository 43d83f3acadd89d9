import { seeded } from './seeded.ts'

/** Whether this is `npm run test:long`, which walks through everything. */
export const isLong = process.env.TEST_LONG !== undefined

/** What this run draws by; the runner prints it, and setting it draws the same. */
export const seed = Number(process.env.TEST_SEED ?? 1)

/** How many cases to run: few in `npm test`, all that are worth it in `npm run test:long`. */
export function sized(quick: number, long: number): number {
  return isLong ? long : quick
}

/** A part of a table of cases, drawn by the seed of the run in `npm test`; the whole table in `npm run test:long`. */
export function drawn<T>(cases: readonly T[], quick: number): T[] {
  if (isLong) return [...cases]
  const random = seeded(seed)
  const places = cases.map((_, index) => ({ index, at: random() })).toSorted((a, b) => a.at - b.at)
  return places
    .slice(0, quick)
    .toSorted((a, b) => a.index - b.index)
    .map(({ index }) => cases[index] as T)
}
