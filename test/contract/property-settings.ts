import type { Parameters } from 'fast-check'
import { sized } from '../sized.ts'

/** The mode of the run, by vitest's name. */
const fuzz = process.env.MODE === 'fuzz'

/** The seed of a fuzzing run: a new one each time, which is printed, or a given one. */
export const fuzzSeed = Number(process.env.FUZZ_SEED)

/**
 * How many cases a property runs, by its share of the total. The ordinary run uses fixed cases, so that only a change
 * of the code can fail it; fuzzing uses new ones. A failure prints the path to set next to the seed.
 */
export function shareOf(share: number): Parameters<unknown> {
  return fuzz
    ? { numRuns: Math.ceil(share * 300), seed: fuzzSeed }
    : { numRuns: Math.ceil(share * sized(3, 20)), seed: 20_260_101 }
}
