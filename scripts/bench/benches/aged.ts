import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type BareChain, buildFolder, openBare } from '../../../src/sandbox/fixtures/bare-chain.ts'
import { testSandbox } from '../../../src/sandbox/fixtures/testing.ts'
import type { ChainEvent } from '../../../src/sandbox/kit/events.ts'
import { createUpkeep } from '../../../src/sandbox/sequencing/upkeep.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { useOf } from '../../../test/process-use.ts'
import { median, percentile } from '../../percentiles.ts'
import type { Bench, Figure } from '../figures.ts'

const marks = [1_000, 5_000, 10_000, 20_000, 30_000, 43_200]

/**
 * Produces blocks on an embedded chain as fast as possible, up to so many blocks of so many transactions, and compares the
 * figures at each mark with those at the first one. After each mark the whole sandbox is started from the folder.
 */
export const bench: Bench = async ([blocks = 5_000, transactions = 2]) => {
  using folder = dataFolder()
  await buildFolder(folder.path)
  const figures: Figure[] = []
  let first: Figure[] | null = null
  for (const mark of [...marks.filter((one) => one < blocks), blocks]) {
    const found = await age(folder.path, mark, transactions)
    first ??= found
    for (const [index, figure] of found.entries()) {
      const floor = { name: `at block ${Math.min(blocks, ...marks)}`, rounds: first[index]?.rounds ?? [] }
      figures.push(found === first ? figure : { ...figure, floor })
    }
  }
  return figures
}

/** Produces blocks up to `mark`, with all work of the gateway between blocks, and restarts the sandbox. */
async function age(dataDir: string, mark: number, transactions: number): Promise<Figure[]> {
  const events: ChainEvent[] = []
  const blockTimes: number[] = []
  const cpu: number[] = []
  let engineMib = 0
  {
    await using bare = await openBare(dataDir, (event) => events.push(event))
    const upkeep = createUpkeep(bare.chain, (event) => events.push(event))
    while (bare.chain.head().number < mark) {
      await bare.send(transactions)
      const started = performance.now()
      const worked = cpuMs(bare)
      await bare.produceBlock()
      blockTimes.push(performance.now() - started)
      cpu.push(cpuMs(bare) - worked)
      // Awaited, unlike in the gateway: at this pace thousands of blocks would be produced meanwhile, not one or two.
      await (await upkeep()).replacing
      if (bare.chain.head().number % 50 === 0)
        engineMib = Math.max(engineMib, (await bare.chain.engineMemory()) / 2 ** 20)
    }
  }
  const started = performance.now()
  await using sandbox = await testSandbox(dataDir)
  sandbox.sequencer.stop()
  const startMs = Math.round(performance.now() - started)
  const restored = sandbox.events.find(({ type, chain }) => type === 'chain-restored' && chain === 'rollup')
  const replaced = events.flatMap((event) => (event.type === 'engine-replaced' ? [event] : []))
  const written = events.flatMap((event) => (event.type === 'snapshot-written' ? [event] : []))
  const run = restored?.type === 'chain-restored' ? restored.blocks : 0
  const last = cpu.slice(-200)
  const mean = last.reduce((sum, each) => sum + each, 0) / last.length
  const most = (values: number[]) => Math.max(0, ...values)
  const figure = (what: string, unit: Figure['unit'], value: number): Figure => ({
    what: `block ${mark}: ${what}`,
    unit,
    rounds: [value],
  })
  return [
    figure('block produced, p50', 'ms', median(blockTimes)),
    figure('block produced, p99', 'ms', percentile(blockTimes, 0.99)),
    figure(`the engine's processor time per block, last ${last.length}`, 'ms', mean),
    figure("the engine's memory, most", 'MiB', engineMib),
    figure('a snapshot, longest', 'ms', most(written.map(({ milliseconds }) => milliseconds))),
    figure(`an engine replaced (${replaced.length}), longest`, 'ms', most(replaced.map((one) => one.milliseconds))),
    figure('of it paused', 'ms', most(replaced.map((one) => one.pausedMilliseconds))),
    figure(`start (${run} blocks run)`, 'ms', startMs),
    figure('its folder', 'MiB', folderMib(join(dataDir, 'chain'))),
  ]
}

/** The processor time of the engine, which does not depend on other load on the machine. */
function cpuMs(bare: BareChain): number {
  return useOf(bare.engine().pid).processorMs()
}

function folderMib(folder: string): number {
  return Number.parseInt(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }), 10) / 2 ** 20
}
