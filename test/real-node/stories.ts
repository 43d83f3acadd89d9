import { drawn } from '../../scripts/draw-faults.ts'
import { noGeth } from './geth-binary.ts'

/**
 * The stories that run on go-ethereum unchanged. The others need what only the sandbox has: its faucet, its starting
 * money in the books, its other chains, its imitated providers, or a chain that stands still.
 */
const stories = [
  'confirmations',
  'explorer',
  'rate-limits',
  'refused-inputs',
  'restrain',
  'session-list',
  'trade-by-chat',
  'wallet-keys',
  'watch-execution',
  'watch-quote',
]

/** The files of the stories that a run takes: three that the seed draws, or all; none without go-ethereum. */
export function gethStories(seed: string, all: boolean): string[] {
  if (noGeth) return []
  const names = all ? stories : drawn(stories, seed, 3)
  return names.map((name) => `test/stories/${name}.test.ts`)
}
