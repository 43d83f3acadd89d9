import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

/**
 * Mixed traffic on all protocols against a real gateway, with faults on: `npm run soak -- [seconds] [--seed number]`.
 * Ends with 1 where an error was not injected, where something acknowledged is lost or reported twice, or where memory
 * or descriptors grow. Ctrl-C ends it with what was found so far.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { seed: { type: 'string' } },
})
const unknown = Object.keys(values).filter((name) => name !== 'seed')
const seconds = unknown.length > 0 ? Number.NaN : Number(positionals[0] ?? 600)
const seed = Number(values.seed ?? Date.now() % 1e6)
if (!(seconds >= 1) || !Number.isSafeInteger(seed)) {
  console.error('npm run soak -- [seconds] [--seed number]: seconds are 1 or more, a seed is a whole number.')
  process.exit(2)
}
const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())

const failures = await soak({ seconds, seed, interrupted: interrupted.signal }).catch((error: unknown) => {
  // Ctrl-C also reaches the gateway, so the preparation fails.
  if (!interrupted.signal.aborted) throw error
  console.log('interrupted before there was any traffic')
  return 0
})
process.exit(failures === 0 ? 0 : 1)
