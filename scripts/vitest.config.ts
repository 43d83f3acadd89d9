import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { costReporter } from './test-cost/reporter.ts'

const everyTest = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'generated/**/*.test.ts']
/** Tests that take longer than the ordinary run allows, by the mode that runs them. */
const apart: Record<string, string[]> = {
  faults: ['test/faults/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  // The ordinary run tests the contract already, so the quick mode leaves it out.
  fuzz: ['test/fuzz/**/*.test.ts', ...(process.env.FUZZ === 'quick' ? [] : ['test/contract/**/*.test.ts'])],
}

/** Files that take more than half a minute. They start first, so that none is left running alone at the end. */
const slow = [
  'test/trading/stuck.test.ts',
  'test/stories/exchange.test.ts',
  'test/node/viem-bridge.test.ts',
  'test/stories/process.test.ts',
  'test/stories/upgrade.test.ts',
  'test/providers/faults.test.ts',
  'test/contract/conformance.test.ts',
  'test/contract/differential.test.ts',
  'test/stories/watch-execution.test.ts',
  'test/stories/wallet-keys.test.ts',
  'test/stories/isolation.test.ts',
  'test/node/public-bridge.test.ts',
  'test/trading/books-and-reorganisations.test.ts',
  'test/assistant/confirm.test.ts',
  'src/sandbox/aged-chain.test.ts',
  'src/sandbox/rollup.test.ts',
  'src/sandbox/bridge.test.ts',
  'src/sandbox/reorganisation.test.ts',
]

/** Orders files as Vitest does, the slow ones before all others. Vitest takes a class. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(`/${name}`))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

/** The seed of all generators of a fuzzing run; it is printed, and setting it repeats the inputs. */
function fuzzSeed(): { FUZZ_SEED: string } {
  const seed = process.env.FUZZ_SEED ?? String(randomInt(2 ** 31))
  console.log(`FUZZ_SEED=${seed}`)
  return { FUZZ_SEED: seed }
}

/** With TEST_COST each file is measured, and the run ends with a table of what the files took. */
const cost =
  process.env.TEST_COST === undefined
    ? {}
    : { setupFiles: ['scripts/test-cost/measure.ts'], reporters: ['default', costReporter()] }

/** Without a mode all tests outside these lists run. The contract tests run with every mode. */
export default defineConfig(({ mode }) => ({
  test: {
    env: mode === 'fuzz' ? fuzzSeed() : {},
    root: new URL('..', import.meta.url).pathname,
    include: apart[mode] ?? everyTest,
    exclude: ['node_modules/**', ...(mode in apart ? [] : ['test/faults/**', 'test/fuzz/**', 'test/browser/**'])],
    // Fault tests measure times, and a browser takes both cores, so their files run one at a time.
    fileParallelism: mode !== 'faults' && mode !== 'browser',
    sequence: { sequencer: SlowFirst },
    globalSetup: 'test/shared-postgres.ts',
    pool: 'forks',
    isolate: false,
    // There are more workers than cores, because most tests wait for blocks. Fuzzing computes, so it has one for each
    // core.
    maxWorkers: mode === 'fuzz' ? availableParallelism() : Math.max(6, Math.min(8, availableParallelism() + 4)),
    testTimeout: mode in apart ? 600_000 : 120_000,
    hookTimeout: mode in apart ? 300_000 : 120_000,
    expect: { poll: { timeout: 30_000 } },
    // A failure shows every value whole.
    chaiConfig: { truncateThreshold: 0 },
    ...cost,
  },
}))
