/**
 * Ages an embedded chain as fast as it can be sealed, and shows what age costs: `node scripts/bench/aged-chain.ts
 * [blocks] [transactions a block]`. Each mark is followed by a start of the whole sandbox from the folder.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUpkeep } from '../../src/sandbox/durable/upkeep.ts'
import type { ChainEvent } from '../../src/sandbox/events.ts'
import { type BareChain, buildFolder, openBare } from '../../src/sandbox/fixtures/bare-chain.ts'
import { testSandbox } from '../../src/sandbox/fixtures/testing.ts'
import { useOf } from '../process-use.ts'

const blocks = Number(process.argv[2] ?? 5_000)
const transactionsABlock = Number(process.argv[3] ?? 2)
const marks = [1_000, 5_000, 10_000, 20_000, 30_000, 43_200].filter((mark) => mark < blocks)

const dataDir = mkdtempSync(join(tmpdir(), 'aged-chain-'))
const rows: Record<string, string | number>[] = []
try {
  await buildFolder(dataDir)
  for (const mark of [...marks, blocks]) rows.push(await age(mark))
  console.table(rows)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** Seals up to a block, with everything the gateway does between blocks, and starts the sandbox anew. */
async function age(mark: number): Promise<Record<string, string | number>> {
  const events: ChainEvent[] = []
  const seals: number[] = []
  const cpu: number[] = []
  let engineMb = 0
  {
    await using bare = await openBare(dataDir, (event) => events.push(event))
    const upkeep = createUpkeep(bare.chain, (event) => events.push(event))
    while (bare.chain.head().number < mark) {
      await bare.send(transactionsABlock)
      const started = performance.now()
      const worked = cpuMs(bare)
      await bare.seal()
      seals.push(performance.now() - started)
      cpu.push(cpuMs(bare) - worked)
      // Unlike in the gateway waited for: at this pace thousands of blocks would be made meanwhile, not one or two.
      await (await upkeep()).recycling
      if (bare.chain.head().number % 50 === 0) engineMb = Math.max(engineMb, (await bare.chain.memory()) / 1e6)
    }
  }
  const started = performance.now()
  await using sandbox = await testSandbox(dataDir)
  sandbox.sequencer.stop()
  const startMs = Math.round(performance.now() - started)
  const restored = sandbox.events.find(({ type, chain }) => type === 'chain-restored' && chain === 'rollup')
  seals.sort((a, b) => a - b)
  const recycled = events.flatMap((event) => (event.type === 'engine-recycled' ? [event] : []))
  const written = events.flatMap((event) => (event.type === 'snapshot-written' ? [event] : []))
  return {
    'at block': mark,
    'seal p50 ms': at(seals, 0.5).toFixed(1),
    'seal p99 ms': at(seals, 0.99).toFixed(1),
    'engine CPU ms a seal, last 200': (cpu.slice(-200).reduce((sum, each) => sum + each, 0) / 200).toFixed(1),
    'engine MB, most': Math.round(engineMb),
    'snapshot ms, most': Math.max(0, ...written.map(({ milliseconds }) => milliseconds)),
    'engines changed': recycled.length,
    'change ms, most': Math.max(0, ...recycled.map(({ milliseconds }) => milliseconds)),
    'of it paused': Math.max(0, ...recycled.map(({ pausedMilliseconds }) => pausedMilliseconds)),
    'start ms': startMs,
    'blocks run at start': restored?.type === 'chain-restored' ? restored.blocks : 0,
    'folder MB': Math.round(folderBytes(join(dataDir, 'chain')) / 1e6),
  }
}

/** What the engine has worked, which does not depend on what else the machine does. */
function cpuMs(bare: BareChain): number {
  return useOf(bare.engine().pid).processorMs()
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function folderBytes(dir: string): number {
  return readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(dir, entry.name)
    return sum + (entry.isDirectory() ? folderBytes(path) : statSync(path).size)
  }, 0)
}
