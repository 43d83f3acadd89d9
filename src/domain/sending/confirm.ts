import { inPages } from '../core/in-pages.ts'
import { settled } from '../core/settled.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { applyChange } from './attempts.ts'
import { moveOf } from './execution-state.ts'

/** The most transactions that are moved on together. Each takes a connection of PostgreSQL's pool. */
const mostTogether = 4

/**
 * Moves mined transactions on as their blocks become safe and finalized, and back where a block left the chain. While the
 * chain still holds `confirmedTo`, the head of the last complete run, no block up to it has left; then only newer blocks
 * and those about to become safe or finalized are read. Returns whether every block could be read: if not, the next run
 * must read them all again.
 */
export async function confirm(
  ports: Pick<Ports, 'outbox'>,
  chain: Chain,
  confirmedTo: Pick<Head, 'number' | 'hash'> | null,
): Promise<boolean> {
  const hashes = new Map<bigint, Promise<Hex | null>>()
  const hashOf = (number: bigint) => {
    const hash = hashes.get(number) ?? chain.blockHash(number)
    hashes.set(number, hash)
    return hash
  }
  const read = async () => ({
    ...(await chain.finality()),
    isSameChain: confirmedTo !== null && (await hashOf(confirmedTo.number)) === confirmedTo.hash,
  })
  let facts: ReturnType<typeof read> | null = null
  let complete = true
  // Moved on together, so that they share commits.
  const moves: (() => Promise<unknown>)[] = []
  const moveOn = async () => await settled(moves.splice(0).map(async (move) => await move()))
  const mined = inPages<Outgoing>((last, limit) => ports.outbox.confirming(chain.info.id, last?.id ?? 0, limit))
  try {
    for await (const transaction of mined) {
      const { blockNumber, blockHash, state } = transaction
      if (blockNumber === null || blockHash === null) continue
      facts ??= read()
      const { safe, finalized, isSameChain } = await facts
      const advances = blockNumber <= (state === 'included' ? safe : finalized)
      if (isSameChain && confirmedTo !== null && blockNumber <= confirmedTo.number && !advances) continue
      const present = await hashOf(blockNumber)
      if (present === null) complete = false
      else if (present === blockHash) moves.push(() => promote(ports, transaction, blockNumber, { safe, finalized }))
      else moves.push(() => applyChange(ports, transaction, { move: moveOf(transaction.state, 'reorganised') }))
      if (moves.length === mostTogether) await moveOn()
    }
  } finally {
    await moveOn() // also where the block of a later one cannot be read
  }
  return complete
}

async function promote(
  ports: Pick<Ports, 'outbox'>,
  transaction: Outgoing,
  block: bigint,
  { safe, finalized }: { safe: bigint; finalized: bigint },
): Promise<void> {
  let present = transaction
  if (present.state === 'included' && block <= safe)
    present = await applyChange(ports, present, { move: moveOf('included', 'safe') })
  if (present.state === 'safe' && block <= finalized)
    await applyChange(ports, present, { move: moveOf('safe', 'finalized') })
}
