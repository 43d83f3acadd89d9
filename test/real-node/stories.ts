import { drawn } from '../../scripts/draw-faults.ts'
import { noGeth } from './geth-binary.ts'

/**
 * The stories that run on go-ethereum unchanged. The others need what only the sandbox has: its faucet, its starting
 * money in the books, its other chains, its imitated providers, or a chain that stands still.
 */
const quick = [
  'chat',
  'explorer',
  'failed-trades',
  'ids',
  'new-passwords',
  'plain-refusals',
  'rate-limits',
  'refused-inputs',
  'trade-by-chat',
  'unknown-fields',
  'wallet-keys',
]

/** Those that take half a minute. */
const long = ['confirmations', 'restrain', 'watch-execution', 'watch-quote']

/** The files of the stories that a run takes: three quick ones that the seed draws, or all; none without go-ethereum. */
export function gethStories(seed: string, all: boolean): string[] {
  if (noGeth) return []
  const names = all ? [...quick, ...long] : drawn(quick, seed, 3)
  return names.map((name) => `test/stories/${name}.test.ts`)
}
