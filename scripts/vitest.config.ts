import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'generated/**/*.test.ts'],
    exclude: ['node_modules/**', 'test/faults/**'],
    pool: 'forks',
    maxWorkers: Math.max(2, Math.min(4, availableParallelism())),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
