import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const everyTest = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'generated/**/*.test.ts']
const faults = 'test/faults/**/*.test.ts'

/** The mode `faults` runs what breaks things under load, one file after another; every other run leaves it out. */
export default defineConfig(({ mode }) => ({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: mode === 'faults' ? [faults] : everyTest,
    exclude: ['node_modules/**', ...(mode === 'faults' ? [] : [faults])],
    fileParallelism: mode !== 'faults',
    pool: 'forks',
    isolate: false,
    // More than cores, for tests wait for blocks more than they compute.
    maxWorkers: Math.max(4, Math.min(8, availableParallelism() + 2)),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
}))
