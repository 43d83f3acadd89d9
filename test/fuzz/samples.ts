import fc from 'fast-check'
import { fuzzSeed } from '../contract/property-settings.ts'

/** `FUZZ=quick` sends a tenth of everything, and omits tests that cannot be reduced or wait for a timeout. */
export const isQuick = process.env.FUZZ === 'quick'
const share = isQuick ? 0.1 : 1

/** Whether an operation, called as its example shows, ends the token or the account of the caller. */
export function endsToken(id: string): boolean {
  return /^auth\.(logout|changePassword|deleteAccount)/.test(id)
}

/** The share of a count that this run sends. */
export function sharesOf(count: number): number {
  return Math.ceil(count * share)
}

/** The share of so many values, which are the same for the same seed. */
export function samplesOf<T>(values: fc.Arbitrary<T>, count: number): T[] {
  return fc.sample(values, { numRuns: sharesOf(count), seed: fuzzSeed })
}
