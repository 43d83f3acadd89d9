import { inPages } from '../core/in-pages.ts'
import { settled } from '../core/settled.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { applyChanges } from './attempts.ts'
import { moveOf } from './execution-state.ts'

/** The most accounts whose transactions are moved on together. Each takes a connection of PostgreSQL's pool. */
const mostTogether = 4

/** The most transactions that are read before they are moved on. */
const mostRead = 100

/** The newest blocks that are safe and final. */
type Finality = Awaited<ReturnType<Chain['finality']>>

/** A transaction, and the states that it moves to one after the other. */
type Moving = { transaction: Outgoing; path: readonly ('safe' | 'finalized' | 'reorganised')[] }

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
  const moving: Moving[] = []
  const mined = inPages<Outgoing>((last, limit) => ports.outbox.confirming(chain.info.id, last?.id ?? 0, limit))
  try {
    for await (const transaction of mined) {
      const { blockNumber, blockHash } = transaction
      if (blockNumber === null || blockHash === null) continue
      facts ??= read()
      const { isSameChain, ...finality } = await facts
      const path = pathOf(transaction, blockNumber, finality)
      if (isSameChain && confirmedTo !== null && blockNumber <= confirmedTo.number && path.length === 0) continue
      const present = await hashOf(blockNumber)
      if (present === null) complete = false
      else moving.push({ transaction, path: present === blockHash ? path : ['reorganised'] })
      if (moving.length === mostRead) await moveAll(ports, moving.splice(0))
    }
  } finally {
    await moveAll(ports, moving) // also where the block of a later one cannot be read
  }
  return complete
}

/** The states that the finality of its block leads a mined transaction to. */
function pathOf({ state }: Outgoing, block: bigint, { safe, finalized }: Finality): Moving['path'] {
  const becomesSafe = state === 'included' && block <= safe
  // Never past `safe`: a node that knows the final block alone may put it above a safe one that is guessed.
  const becomesFinal = (state === 'safe' || becomesSafe) && block <= finalized
  return [...(becomesSafe ? (['safe'] as const) : []), ...(becomesFinal ? (['finalized'] as const) : [])]
}

/** Moves transactions on, those of an account together: they become safe at once, and then final at once. */
async function moveAll(ports: Pick<Ports, 'outbox'>, moving: readonly Moving[]): Promise<void> {
  const accounts = [...Map.groupBy(moving, ({ transaction }) => transaction.from).values()]
  for (let next = 0; next < accounts.length; next += mostTogether) {
    const some = accounts.slice(next, next + mostTogether)
    await settled(some.map(async (ofAccount) => await moveAccount(ports, ofAccount)))
  }
}

async function moveAccount(ports: Pick<Ports, 'outbox'>, moving: readonly Moving[]): Promise<void> {
  const changes = moving.flatMap(({ transaction, path: [to] }) =>
    to === undefined ? [] : [{ transaction, change: { move: moveOf(transaction.state, to) } }],
  )
  if (changes.length === 0) return
  const moved = new Map((await applyChanges(ports, changes)).map((stored) => [stored.id, stored]))
  const further = moving.map(({ transaction, path }) => {
    return { transaction: moved.get(transaction.id) ?? transaction, path: path.slice(1) }
  })
  await moveAccount(ports, further)
}
