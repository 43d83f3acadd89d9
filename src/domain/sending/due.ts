import { inPages } from '../core/in-pages.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Outbox, WaitingAttempt } from '../ports/outbox.ts'
import { stuckBlocks } from './attempts.ts'

type Needs = Pick<Outbox, 'accountsWithWork' | 'waiting'>

/**
 * What the last rounds saw: the newest block, the transactions that they found in blocks, by the newest of these, and the
 * block up to which all accounts are due.
 */
export type Seen = { head: Head; mined: readonly Mined[]; allUntil: bigint }

type Mined = { number: bigint; hashes: ReadonlySet<Hex> }

/**
 * For so many blocks a transaction that is in a block is looked at, where it still waits then: a node that lags may not
 * know its receipt yet, or another process may have held its account. For as many all are, where blocks are not known.
 */
const keptBlocks = 16n
/** While nothing waits no block is read, so that what is sent next finds the blocks since. */
const mostUnread = 8n

/**
 * The accounts to take a step on, found by a few statements however many wait: those with work that does not wait for a
 * block, and those for whose transactions the blocks since the last round changed something. All accounts with open work
 * where these blocks are not known.
 */
export async function dueAccounts(
  outbox: Needs,
  chain: Chain,
  before: Seen | null,
): Promise<{ accounts: ReadonlySet<Hex>; seen: Seen }> {
  const { id } = chain.info
  const head = await chain.head('recent')
  const accountsOf = async (which: 'all' | 'at_once') =>
    new Set(await Array.fromAsync(inPages<Hex>((last, limit) => outbox.accountsWithWork(id, which, last ?? '', limit))))
  const unknown = async () => ({
    accounts: await accountsOf('all'),
    seen: { head, mined: before?.mined ?? [], allUntil: head.number + keptBlocks },
  })
  if (before === null) return await unknown()
  if (head.number < before.allUntil) return { accounts: await accountsOf('all'), seen: { ...before, head } }
  const accounts = await accountsOf('at_once')
  const waiting = await Array.fromAsync(
    inPages<WaitingAttempt>((last, limit) => outbox.waiting(id, last?.hash ?? '', limit)),
  )
  if (waiting.length === 0) {
    const isFar = head.number > before.head.number + mostUnread
    return { accounts, seen: isFar ? { ...before, head } : before }
  }
  const found = await chain.minedAfter(before.head)
  if (found === null) return await unknown()
  const { number } = found.head
  const mined = [...before.mined, { number, hashes: found.hashes }].filter(
    (one) => one.hashes.size > 0 && one.number > number - keptBlocks,
  )
  for (const attempt of waiting) {
    const isMined = mined.some(({ hashes }) => hashes.has(attempt.hash))
    if (isMined || isDue(attempt, before.head, found.head)) accounts.add(attempt.from)
  }
  return { accounts, seen: { ...before, head: found.head, mined } }
}

/** Whether the time has come to do more for a transaction than wait. */
function isDue({ offeredAt, deadline, error }: WaitingAttempt, before: Head, head: Head): boolean {
  if (error !== null || offeredAt === null) return true
  if (deadline !== null && head.timestamp >= deadline) return true
  return triesAfter(head.number - offeredAt) > triesAfter(before.number - offeredAt)
}

/**
 * How often a transaction that is in no block was looked at anew, so many blocks after it was offered: when it is stuck,
 * and then after twice as many blocks each time. A node may have lost it, or another may have used its nonce.
 */
function triesAfter(blocks: bigint): number {
  return blocks < stuckBlocks ? 0 : (blocks / stuckBlocks).toString(2).length
}
