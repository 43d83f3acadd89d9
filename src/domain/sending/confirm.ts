import { RepeatLater } from '../core/errors.ts'
import { inPages } from '../core/in-pages.ts'
import { settled } from '../core/settled.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { ConfirmingBlock, Outgoing } from '../ports/outbox.ts'
import { applyChanges } from './attempts.ts'
import { moveOf } from './execution-state.ts'

type Needs = Pick<Ports, 'outbox'>

/** The most transactions that are moved on at once: their rows and the audit logs of their owners are locked meanwhile. */
const mostTogether = 50

/** The newest blocks that are safe and final. */
type Finality = Awaited<ReturnType<Chain['finality']>>

/** The states that transactions move to one after the other. */
type Path = readonly ('safe' | 'finalized' | 'reorganised')[]

/**
 * Moves mined transactions on as their blocks become safe and finalized, and back where a block left the chain. While the
 * chain still holds `confirmedTo`, the head of the last complete run, no block up to it has left; then only newer blocks
 * and those about to become safe or finalized are read. Returns whether every block could be read: if not, the next run
 * must read them all again.
 */
export async function confirm(
  ports: Needs,
  chain: Chain,
  confirmedTo: Pick<Head, 'number' | 'hash'> | null,
): Promise<boolean> {
  const hashes = new Map<bigint, Promise<Hex | null>>()
  const hashOf = (number: bigint) => {
    const hash = hashes.get(number) ?? chain.blockHash(number)
    hashes.set(number, hash)
    return hash
  }
  let complete = true
  const moving: { block: ConfirmingBlock; path: Path }[] = []
  const blocks = await ports.outbox.confirmingBlocks(chain.info.id)
  if (blocks.length === 0) return true
  const finality = await chain.finality()
  const isSameChain = confirmedTo !== null && (await hashOf(confirmedTo.number)) === confirmedTo.hash
  try {
    for (const block of blocks) {
      const path = pathOf(block, finality)
      if (isSameChain && block.number <= confirmedTo.number && path.length === 0) continue
      const present = await hashOf(block.number)
      if (present === null) complete = false
      else moving.push({ block, path: present === block.hash ? path : ['reorganised'] })
    }
  } finally {
    // Also where a later block cannot be read.
    for (const { block, path } of moving) if (path.length > 0) await moveBlock(ports, chain, block, path)
  }
  return complete
}

/** The states that the finality of its block leads a mined transaction to. */
function pathOf({ state, number }: ConfirmingBlock, { safe, finalized }: Finality): Path {
  const becomesSafe = state === 'included' && number <= safe
  // Never past `safe`: a node that knows the final block alone may put it above a safe one that is guessed.
  const becomesFinal = (state === 'safe' || becomesSafe) && number <= finalized
  return [...(becomesSafe ? (['safe'] as const) : []), ...(becomesFinal ? (['finalized'] as const) : [])]
}

/**
 * Moves the transactions in a block on together, account by account where the block left the chain: each of them is then
 * sent again.
 */
async function moveBlock(ports: Needs, chain: Chain, block: ConfirmingBlock, path: Path): Promise<void> {
  const { id } = chain.info
  const inBlock = inPages<Outgoing>((last, limit) => ports.outbox.confirming(id, block, last?.id ?? 0, limit))
  const transactions: Outgoing[] = []
  for await (const transaction of inBlock) transactions.push(transaction)
  const most = path.includes('reorganised') ? 0 : mostTogether
  for (const to of path) transactions.splice(0, transactions.length, ...(await moveAll(ports, transactions, to, most)))
}

/**
 * Moves transactions to a state, at most `most` of them at once. Where another process changed one of them first, and where
 * `most` is 0, those of each account by themselves. Returns what is stored then; throws once all others are moved.
 */
async function moveAll(
  ports: Needs,
  transactions: readonly Outgoing[],
  to: Path[number],
  most: number,
): Promise<Outgoing[]> {
  const move = async (some: readonly Outgoing[]) =>
    await applyChanges(
      ports,
      some.map((one) => ({ transaction: one, change: { move: moveOf(one.state, to) } })),
    )
  if (most === 0) {
    const moved: Promise<Outgoing[]>[] = []
    for (const ofAccount of Map.groupBy(transactions, ({ from }) => from).values()) {
      moved.push(move(ofAccount))
      await Promise.allSettled(moved) // one after the other
    }
    return (await settled(moved)).flat()
  }
  const present: Outgoing[] = []
  for (let next = 0; next < transactions.length; next += most) {
    const some = transactions.slice(next, next + most)
    const moved = await move(some).catch(async (failure: unknown) => {
      if (!(failure instanceof RepeatLater)) throw failure
      return await moveAll(ports, some, to, 0)
    })
    present.push(...moved)
  }
  return present
}
