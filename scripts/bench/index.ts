import { availableParallelism, cpus } from 'node:os'
import type { Bench } from './bench.ts'
import { tablesOf } from './figures.ts'

/** Each by its name; loaded when it is asked for. The first ones make up a whole run, the others are asked for by name. */
const whole: Record<string, () => Promise<{ bench: Bench }>> = {
  requests: () => import('./unary.ts'),
  chain: () => import('./chain.ts'),
  'fan-out': () => import('./fan-out.ts'),
  metrics: () => import('./metrics.ts'),
}
const others: typeof whole = {
  'metrics-postgresql': async () => ({ bench: (await import('./metrics.ts')).onPostgresql }),
}

const [name, ...sizes] = process.argv.slice(2)
const chosen =
  name === undefined ? Object.entries(whole) : Object.entries({ ...whole, ...others }).filter(([one]) => one === name)
if (chosen.length === 0) {
  console.error(`There is no "${name}". Benchmarks: ${Object.keys({ ...whole, ...others }).join(', ')}`)
  process.exit(2)
}

console.log(
  `${cpus()[0]?.model}, ${availableParallelism()} processors, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}\n`,
)
for (const [one, load] of chosen) {
  const begun = performance.now()
  const { bench } = await load()
  const figures = await bench(sizes.map(Number))
  console.log(`### ${one}\n\n${tablesOf(figures)}\n\n${Math.round((performance.now() - begun) / 1_000)} s\n`)
}
