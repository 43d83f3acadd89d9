import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { withPart } from '../guide-parts.ts'
import { type Bench, tablesOf } from './figures.ts'

/** Benchmarks by name, loaded on demand. The first ones make up a whole run; the others run only by name. */
const whole: Record<string, () => Promise<{ bench: Bench }>> = {
  requests: () => import('./benches/requests.ts'),
  chain: () => import('./benches/chain.ts'),
  'fan-out': () => import('./benches/fan-out.ts'),
  metrics: () => import('./benches/metrics.ts'),
  start: () => import('./benches/start.ts'),
  trades: () => import('./benches/trades.ts'),
}
const others: typeof whole = {
  aged: () => import('./benches/aged.ts'),
  chat: () => import('./benches/chat.ts'),
  console: () => import('./benches/console.ts'),
  mcp: () => import('./benches/mcp.ts'),
  refused: () => import('./benches/refused.ts'),
  storage: () => import('./benches/storage.ts'),
  watchers: () => import('./benches/watchers.ts'),
  weight: () => import('./benches/weight.ts'),
  'metrics-postgresql': async () => ({ bench: (await import('./benches/metrics.ts')).onPostgresql }),
}

const writes = process.argv.includes('--write')
const [name, ...sizes] = process.argv.slice(2).filter((argument) => argument !== '--write')
const chosen =
  name === undefined ? Object.entries(whole) : Object.entries({ ...whole, ...others }).filter(([one]) => one === name)
const refusals = [
  chosen.length === 0 ? `There is no benchmark "${name}": ${Object.keys({ ...whole, ...others }).join(', ')}.` : [],
  writes && name !== undefined ? '--write is for a whole run: leave the name out.' : [],
  sizes.every((size) => /^[1-9]\d{0,8}$/.test(size)) ? [] : 'Sizes are whole numbers from 1 on.',
].flat()
if (refusals.length > 0) {
  console.error(refusals.join('\n'))
  process.exit(1)
}

/** The parts of the guide. */
const parts: string[] = []
const gigabytes = Math.round(totalmem() / 2 ** 30)
const day = new Date().toISOString().slice(0, 10)
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
}).trim()
const machine = `${cpus()[0]?.model}, ${availableParallelism()} processors, ${gigabytes} GB, Node ${process.versions.node}, ${day}, commit ${commit}.`
parts.push(machine)
console.log(`${machine}\n`)
for (const [one, load] of chosen) {
  const begun = performance.now()
  const { bench } = await load()
  const figures = await bench(sizes.map(Number))
  parts.push(`**${one}**\n\n${tablesOf(figures, 'short')}`)
  console.log(`**${one}**\n\n${tablesOf(figures, 'whole')}\n`)
  console.log(`${Math.round((performance.now() - begun) / 1_000)} s\n`)
}
const guide = new URL('README.md', import.meta.url)
if (writes) writeFileSync(guide, withPart(readFileSync(guide, 'utf8'), 'figures', parts.join('\n\n')))
