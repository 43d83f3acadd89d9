import type { Parameters } from 'fast-check'

/** The mode of the run, as vitest names it. */
const fuzz = process.env.MODE === 'fuzz'

/** What the run for finding things draws from: another one each time, which the run prints, or the one it is given. */
export const fuzzSeed = Number(process.env.FUZZ_SEED)

/**
 * How long a property is tried, by its share of what all are. The ordinary run asks the same every time, so that it
 * tells of a change and of nothing else; the run for finding things asks anew each time. A failure prints the path to
 * put here beside the seed.
 */
export function shareOf(share: number): Parameters<unknown> {
  return fuzz
    ? { numRuns: Math.ceil(share * 300), seed: fuzzSeed }
    : { numRuns: Math.ceil(share * 20), seed: 20_260_101 }
}
