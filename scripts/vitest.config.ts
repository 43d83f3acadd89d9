import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const everyTest = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'generated/**/*.test.ts']
/** What takes longer than a test run has time for, by the mode that runs it. */
const apart: Record<string, string[]> = {
  faults: ['test/faults/**/*.test.ts'],
  // The ordinary run has tried the contract already where only a share is asked for.
  fuzz: ['test/fuzz/**/*.test.ts', ...(process.env.FUZZ === 'quick' ? [] : ['test/contract/**/*.test.ts'])],
}

/** What all generators of a fuzzing run draw from; the one that is printed and set makes the same inputs again. */
function fuzzSeed(): { FUZZ_SEED: string } {
  const seed = process.env.FUZZ_SEED ?? String(randomInt(2 ** 31))
  console.log(`FUZZ_SEED=${seed}`)
  return { FUZZ_SEED: seed }
}

/** Without one of these modes every other test is run; the contract's are in both. */
export default defineConfig(({ mode }) => ({
  test: {
    env: mode === 'fuzz' ? fuzzSeed() : {},
    root: new URL('..', import.meta.url).pathname,
    include: apart[mode] ?? everyTest,
    exclude: ['node_modules/**', ...(mode in apart ? [] : ['test/faults/**', 'test/fuzz/**'])],
    // Faults are told by how long things take; a process that is fuzzed has its own memory and descriptors to itself.
    fileParallelism: mode !== 'faults',
    pool: 'forks',
    isolate: false,
    // More than cores, for tests wait for blocks more than they compute, but for those that fuzz.
    maxWorkers: mode === 'fuzz' ? availableParallelism() : Math.max(6, Math.min(8, availableParallelism() + 4)),
    testTimeout: mode in apart ? 600_000 : 60_000,
    hookTimeout: mode in apart ? 300_000 : 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
}))
