import type { Parameters } from 'fast-check'

/** The mode of the run, as vitest names it. */
const fuzz = process.env.MODE === 'fuzz'

/**
 * How long a property is tried, by its share of what all are. The ordinary run asks the same every time, so that it
 * tells of a change and of nothing else; the run for finding things asks anew each time. A failure prints the seed and
 * the path to put here.
 */
export function shareOf(share: number): Parameters<unknown> {
  return fuzz ? { numRuns: Math.ceil(share * 300) } : { numRuns: Math.ceil(share * 20), seed: 20_260_101 }
}
