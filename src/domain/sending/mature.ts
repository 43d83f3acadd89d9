import { inPages } from '../core/in-pages.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { changed } from './attempts.ts'
import { moveOf } from './execution-state.ts'

/**
 * Moves mined transactions on as their blocks become safe and finalized, and back where a block left the chain. A chain
 * that still holds `seen`, the head of the last look, has lost no block up to it; then only newer blocks and those about
 * to become firmer are read. Answers whether each block could be read: where not, the next look must read them all again.
 */
export async function mature(
  ports: Pick<Ports, 'outbox'>,
  chain: Chain,
  seen: Pick<Head, 'number' | 'hash'> | null,
): Promise<boolean> {
  const hashes = new Map<bigint, Promise<Hex | null>>()
  const hashOf = (number: bigint) => {
    const asked = hashes.get(number) ?? chain.blockHash(number)
    hashes.set(number, asked)
    return asked
  }
  const read = async () => ({
    ...(await chain.finality()),
    whole: seen !== null && (await hashOf(seen.number)) === seen.hash,
  })
  let asked: ReturnType<typeof read> | null = null
  let complete = true
  const legs = inPages<Outgoing>((last, limit) => ports.outbox.maturing(chain.info.id, last?.id ?? 0, limit))
  for await (const leg of legs) {
    const { blockNumber, blockHash, state } = leg
    if (blockNumber === null || blockHash === null) continue
    asked ??= read()
    const { safe, finalized, whole } = await asked
    const firmer = blockNumber <= (state === 'included' ? safe : finalized)
    if (whole && seen !== null && blockNumber <= seen.number && !firmer) continue
    const present = await hashOf(blockNumber)
    if (present === null) complete = false
    else if (present === blockHash) await promote(ports, leg, blockNumber, { safe, finalized })
    else await changed(ports, leg, { move: moveOf(leg.state, 'reorganised') })
  }
  return complete
}

async function promote(
  ports: Pick<Ports, 'outbox'>,
  leg: Outgoing,
  block: bigint,
  { safe, finalized }: { safe: bigint; finalized: bigint },
): Promise<void> {
  let present = leg
  if (present.state === 'included' && block <= safe)
    present = await changed(ports, present, { move: moveOf('included', 'safe') })
  if (present.state === 'safe' && block <= finalized)
    await changed(ports, present, { move: moveOf('safe', 'finalized') })
}
