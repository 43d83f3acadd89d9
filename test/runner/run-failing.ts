import { startVitest } from 'vitest/node'

// Runs a file that fails with the configuration of all tests, and ends as `npm test` does.
const include = ['test/runner/failing.ts']
const vitest = await startVitest('test', [], { config: 'scripts/vitest.config.ts', include, watch: false })
await vitest.close()
