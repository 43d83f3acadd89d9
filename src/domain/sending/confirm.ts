import { RepeatLater } from '../core/errors.ts'
import { inPages } from '../core/in-pages.ts'
import { settled } from '../core/settled.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { ConfirmingBlock, Outgoing } from '../ports/outbox.ts'
import type { FinalBlock } from '../ports/trade-policy.ts'
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
 * must read them all again. `noteFinal` is called before the transactions of a block become final.
 */
export async function confirm(
  ports: Needs,
  chain: Chain,
  confirmedTo: Pick<Head, 'number' | 'hash'> | null,
  noteFinal: (block: FinalBlock) => Promise<void> = async () => undefined,
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
  const isSameChain =
    confirmedTo !== null && (await chain.blockHash(confirmedTo.number, 'followed')) === confirmedTo.hash
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
    for (const { block, path } of moving) {
      if (path.includes('finalized')) await noteFinal({ number: block.number, hash: block.hash })
      if (path.length > 0) await moveBlock(ports, chain, block, path)
    }
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
  let present: Outgoing[] = await Array.fromAsync(
    inPages<Outgoing>((last, limit) => ports.outbox.confirming(id, block, last?.id ?? 0, limit)),
  )
  const move = path.includes('reorganised') ? moveByAccount : moveTogether
  for (const to of path) present = await move(ports, present, to)
}

/** Moves transactions to a state, some at once; those of each account by themselves where another process was first. */
async function moveTogether(ports: Needs, transactions: readonly Outgoing[], to: Path[number]): Promise<Outgoing[]> {
  const present: Outgoing[] = []
  for (let next = 0; next < transactions.length; next += mostTogether) {
    const some = transactions.slice(next, next + mostTogether)
    const moved = await moveAll(ports, some, to).catch(async (failure: unknown) => {
      if (!(failure instanceof RepeatLater)) throw failure
      return await moveByAccount(ports, some, to)
    })
    present.push(...moved)
  }
  return present
}

/** Moves the transactions of one account after the other. Throws once all that can be moved are. */
async function moveByAccount(ports: Needs, transactions: readonly Outgoing[], to: Path[number]): Promise<Outgoing[]> {
  const moves: Promise<Outgoing[]>[] = []
  for (const ofAccount of Map.groupBy(transactions, ({ from }) => from).values()) {
    moves.push(moveAll(ports, ofAccount, to))
    await Promise.allSettled(moves)
  }
  return (await settled(moves)).flat()
}

/** Moves all of them or none. Returns what is stored then. */
async function moveAll(ports: Needs, transactions: readonly Outgoing[], to: Path[number]): Promise<Outgoing[]> {
  const changes = transactions.map((one) => ({ transaction: one, change: { move: moveOf(one.state, to) } }))
  return await applyChanges(ports, changes)
}
