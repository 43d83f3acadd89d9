import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'

/** A filling that fails at once, for a key that is lost, is not begun again at each block. */
const restMs = 60_000

/**
 * A nonce that nobody uses below one in use holds everything after it: an empty transaction takes its place. Holes are
 * read from the store each time, so that a crash, or a filling that failed, is made good at the next block. Run it in
 * the lane of the account.
 */
export async function fillHoles(ports: Pick<Ports, 'clock' | 'outbox'>, chain: Chain, from: Hex): Promise<void> {
  const chainId = chain.info.id
  // A nonce that the node has a transaction for is no hole: the owner of the key may have sent one without us.
  const floor = await chain.nonce(from, 'pending')
  const taken = await ports.outbox.takenNonces(chainId, from, floor)
  const holes = missing(floor, taken)
  if (holes.length === 0) return
  const [{ native }, { maxFeePerGas }, gas] = await Promise.all([
    chain.balances(from, []),
    chain.fees(),
    chain.emptyGas(from),
  ])
  for (const [index, at] of holes.entries()) {
    if (native < gas * maxFeePerGas * BigInt(index + 1)) return // it would fail as well; there may be money at a later block
    const call = { to: from, data: '0x', value: 0n } as const
    const legs = [{ kind: 'gap', call, gas }] as const
    const reference = `gap:${from.toLowerCase()}:${at}:${Math.floor(ports.clock.now().getTime() / restMs)}`
    await ports.outbox.reserve({ chainId, from, reference, legs, floor, at })
  }
}

function missing(floor: number, taken: readonly number[]): number[] {
  const length = Math.max(0, (taken.at(-1) ?? floor) - floor)
  const held = new Set(taken)
  return Array.from({ length }, (_, index) => floor + index).filter((nonce) => !held.has(nonce))
}
