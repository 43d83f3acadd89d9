import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { gethStories } from '../test/real-node/stories.ts'
import { costReporter } from './test-cost/reporter.ts'

const root = new URL('..', import.meta.url).pathname
const everyTest = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'generated/**/*.test.ts']
const longOnly = '**/*.long.test.ts'
const others = ['test/{faults,fuzz,browser,real-node,replicas}/**']

/** The test files that use something of `test`, by its name. */
function using(name: RegExp): string[] {
  const files = globSync(everyTest, { cwd: root })
  return files.filter((file) => readFileSync(`${root}${file}`, 'utf8').search(name) >= 0)
}

/** Tests that take longer than the ordinary run allows, by the mode that runs them. */
const apart: Record<string, string[]> = {
  // What `npm test` runs only a part of, and what it leaves out.
  long: [longOnly, ...using(/\/(sized|property-settings)\.ts'/)],
  faults: ['test/faults/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  'real-node': ['test/real-node/**/*.test.ts'],
  replicas: ['test/replicas/**/*.test.ts'],
  // The ordinary run tests the contract already, so the quick mode leaves it out.
  fuzz: ['test/fuzz/**/*.test.ts', ...(process.env.FUZZ === 'quick' ? [] : ['test/contract/**/*.test.ts'])],
}

/** Files that take more than half a minute. They start first, so that none is left running alone at the end. */
const slow = [
  'test/trading/stuck.test.ts',
  'test/stories/exchange.test.ts',
  'test/node/viem-bridge.test.ts',
  'test/stories/process.test.ts',
  'test/stories/upgrade.long.test.ts',
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

/**
 * Orders files as Vitest does, but the slow ones first, and last those that share a world, so that it stands idle beside no
 * other file. Vitest takes a class.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sharing = using(/sharedWorld/)
    const placeOf = ({ moduleId }: TestSpecification) => {
      const isOf = (name: string) => moduleId.endsWith(`/${name}`)
      return slow.some(isOf) ? 0 : sharing.some(isOf) ? 2 : 1
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/** A seed that the run prints; setting it repeats the inputs. */
const seedOf = (name: string): Record<string, string> => ({ [name]: process.env[name] ?? String(randomInt(2 ** 31)) })

/** What a mode sets: the seed of its inputs, and whether it runs everything. */
function environmentOf(mode: string): Record<string, string> {
  if (mode === 'fuzz') return seedOf('FUZZ_SEED')
  const node = mode === 'real-node' ? { TEST_NODE: 'geth' } : {}
  return { ...seedOf('TEST_SEED'), ...node, ...(mode === 'long' ? { TEST_LONG: 'on' } : {}) }
}

/** The files of a mode. A second engine has its own, and stories that a run with this environment draws. */
function filesOf(mode: string, environment: Record<string, string>): string[] {
  const files = apart[mode] ?? everyTest
  if (mode !== 'real-node') return files
  return [...files, ...gethStories(environment.TEST_SEED ?? '', process.env.TEST_LONG !== undefined)]
}

/** With TEST_COST each file is measured, and the run ends with a table of what the files took. */
const cost =
  process.env.TEST_COST === undefined
    ? {}
    : { setupFiles: ['scripts/test-cost/measure.ts'], reporters: ['default', costReporter()] }

/** Without a mode all tests outside these lists run. The contract tests run with every mode. */
function optionsOf(mode: string, env: Record<string, string>): ViteUserConfig {
  return {
    test: {
      env,
      root,
      include: filesOf(mode, env),
      exclude: [
        'node_modules/**',
        ...(mode === 'long' || !(mode in apart) ? others : []),
        ...(mode in apart ? [] : [longOnly]),
      ],
      // Fault tests measure times, a browser takes both cores, and a second engine or gateway one, so their files run one at a time.
      fileParallelism: !['faults', 'browser', 'real-node', 'replicas'].includes(mode),
      sequence: { sequencer: SlowFirst },
      globalSetup: 'test/shared-parts.ts',
      pool: 'forks',
      isolate: false,
      // There are more workers than cores, because most tests wait for blocks. Fuzzing computes, so it has one for each
      // core.
      maxWorkers: mode === 'fuzz' ? availableParallelism() : Math.max(6, Math.min(8, availableParallelism() + 4)),
      testTimeout: 600_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      // A failure shows every value whole.
      chaiConfig: { truncateThreshold: 0 },
      ...cost,
    },
  }
}

export default defineConfig(({ mode }) => optionsOf(mode, environmentOf(mode)))
