import { DomainError } from '../core/errors.ts'
import { referenceText } from '../core/reference.ts'
import type { Chain, Head } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Attempt, Outcome, Outgoing } from '../ports/outbox.ts'
import { changed, isStuck, mayRaise, signNext } from './attempts.ts'
import { isDecided, isMined, moveOf } from './execution-state.ts'

type Needs = Pick<Ports, 'outbox' | 'signer'>

/** What one round knows of the chain and of the orders in force. */
export type Round = {
  ports: Needs
  chain: Chain
  head: Head
  /** The account's next nonce by the newest block. */
  next: number
  /** Nothing new may leave; what is given up may still be filled. */
  halted: boolean
  /** Hears what an operator should know. */
  log: (event: Error) => void
}

/** True where only the firmness of its block can still change. */
export function isDone({ state }: Outgoing): boolean {
  return isDecided(state)
}

/**
 * Takes the legs of one reference as far as they go now: reads what is mined, gives up what has no future, signs, and
 * offers to the node in the order of the nonces. Every step is stored before the next, and each may be repeated: a crash
 * at any line is taken up here. Run it in the lane of the account. Rejects where the chain or the store cannot be reached.
 */
export async function advance(round: Round, stored: readonly Outgoing[]): Promise<void> {
  const legs = [...stored]
  for (const [index, leg] of legs.entries()) legs[index] = await readBlocks(round, leg)
  // Bytes of these are in this process alone until they are offered.
  const fresh = new Set<number>()
  if (doomOf(round, legs) === null && !round.halted) {
    for (const [index, leg] of legs.entries()) {
      if (leg.state !== 'reserved') continue
      fresh.add(leg.id)
      legs[index] = await sign(round, leg, legs)
    }
  }
  for (const [index, leg] of legs.entries()) {
    if (isDone(leg)) continue
    const doom = leg.error === null ? doomOf(round, legs) : null
    const present = doom === null ? leg : await giveUp(round, leg, legs, fresh, doom)
    legs[index] = present
    if (!isDone(present)) legs[index] = await carryOn(round, present, legs, fresh)
  }
}

/** Why none of the legs that are not mined may be mined any more as they were meant, or null. */
function doomOf(round: Round, legs: readonly Outgoing[]): string | null {
  for (const { state, outcome, error } of legs) {
    if (state === 'failed' || error !== null) return error ?? 'A transaction before it failed.'
    if (outcome === 'reverted') return 'A transaction before it reverted.'
  }
  const late = legs.some((leg) => !isDone(leg) && isLate(round, leg))
  return late ? 'It was not mined before its deadline.' : null
}

/** Looks for the block of a transaction, whichever attempt it holds. */
async function readBlocks(round: Round, leg: Outgoing): Promise<Outgoing> {
  const { ports, chain, next } = round
  if (isDone(leg) || leg.nonce === null || leg.nonce >= next || leg.attempts.length === 0) return leg
  for (const attempt of leg.attempts.toReversed()) {
    const receipt = await chain.receipt(attempt.hash)
    if (receipt === null) continue
    const { blockNumber, blockHash, status } = receipt
    const outcome: Outcome = attempt.purpose === 'cancel' ? 'cancelled' : status
    // Bytes that are in a block have left, whatever was noted of them.
    const sent = leg.state === 'signed' ? await changed(ports, leg, { move: moveOf('signed', 'broadcast') }) : leg
    const mined = { hash: attempt.hash, outcome, blockNumber, blockHash }
    return await changed(ports, sent, { move: moveOf(sent.state, 'included'), mined })
  }
  // A node that lags behind may not know the receipt yet; once the nonce is used for good, somebody else used it.
  const { finalized } = await chain.finality()
  if ((await chain.nonce(leg.from, finalized)) <= leg.nonce) return leg
  for (const { hash } of leg.attempts) if ((await chain.receipt(hash)) !== null) return leg
  return await changed(ports, leg, {
    move: moveOf(leg.state, 'failed'),
    error: 'Another transaction took its place on the chain.',
  })
}

/** Signs a reserved leg; one whose key cannot be used has failed. */
async function sign({ ports, chain }: Round, leg: Outgoing, legs: readonly Outgoing[]): Promise<Outgoing> {
  const signed = await signNext(ports, chain, leg, legs, 'leg')
  if (!('unusable' in signed)) return signed
  return await changed(ports, leg, { move: moveOf(leg.state, 'failed'), error: signed.unusable })
}

/** A nonce whose bytes cannot have left is free again, unless it is needed to take an approval back; others are filled. */
async function giveUp(
  { ports }: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  fresh: ReadonlySet<number>,
  error: string,
): Promise<Outgoing> {
  const untouched = leg.state === 'reserved' || (leg.state === 'signed' && fresh.has(leg.id))
  const approved = legs.some(({ kind, state, outcome }) => kind === 'approve' && mayStand(state, outcome))
  const free = untouched && !(leg.kind === 'swap' && approved)
  return await changed(ports, leg, free ? { move: moveOf(leg.state, 'failed'), error } : { error })
}

function mayStand(state: Outgoing['state'], outcome: Outcome | null): boolean {
  return isMined(state) ? outcome === 'success' : state !== 'failed' && state !== 'reserved'
}

/** Offers what is to be offered, and raises the fee of what stays out of blocks. */
async function carryOn(
  round: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  fresh: ReadonlySet<number>,
): Promise<Outgoing> {
  const { ports, chain, head } = round
  const purpose = leg.error === null ? 'leg' : 'cancel'
  if (purpose === 'leg' && round.halted) return leg
  let present = leg
  if (purpose === 'cancel' && leg.attempts.at(-1)?.purpose !== 'cancel')
    present = await again(round, leg, legs, purpose)
  else if (leg.nonce === round.next && isStuck(leg, head.number) && mayRaise(leg))
    present = await again(round, leg, legs, purpose)
  const attempt = present.attempts.at(-1)
  // What was given up is offered no more, even where its filling cannot be signed.
  if (attempt === undefined || isDone(present) || (purpose === 'cancel' && attempt.purpose !== 'cancel')) return present
  try {
    await chain.broadcast(attempt.raw) // a node that still has it says so; one that lost it has it again
  } catch (failure) {
    if (!isRefusal(failure)) throw failure
    if (!(await hasLeft(chain, present))) return await refused(round, present, legs, fresh, failure)
    if (!(await chain.knows(attempt.hash))) return present
  }
  return await left(ports, present, attempt, head.number)
}

async function left({ outbox }: Needs, leg: Outgoing, { hash, offeredAt }: Attempt, at: bigint): Promise<Outgoing> {
  const sent = leg.state === 'signed' || leg.state === 'reorganised'
  if (!sent && offeredAt !== null) return leg
  const offered = offeredAt === null ? { offered: { hash, at } } : {}
  return await changed({ outbox }, leg, { ...offered, ...(sent ? { move: moveOf(leg.state, 'broadcast') } : {}) })
}

/** The next attempt; where the key is of no more use the old ones stay. */
async function again(round: Round, leg: Outgoing, legs: readonly Outgoing[], purpose: Attempt['purpose']) {
  const signed = await signNext(round.ports, round.chain, leg, legs, purpose)
  if (!('unusable' in signed)) return signed
  return purpose === 'leg' ? leg : await unfilled(round, leg, legs, signed.unusable)
}

/**
 * What was given up and cannot be filled is over once there are no bytes of it, or a node has none of them and their
 * deadline is past. Past its deadline a swap can do nothing any more; the bytes of another leg could still be mined if
 * somebody kept them. Until then it stays open, which is told once for all legs.
 */
async function unfilled(round: Round, leg: Outgoing, legs: readonly Outgoing[], why: string): Promise<Outgoing> {
  const { ports, chain } = round
  if (leg.attempts.length === 0 || (isLate(round, leg) && !(await hasLeft(chain, leg))))
    return await changed(ports, leg, { move: moveOf(leg.state, 'failed'), error: leg.error ?? why })
  if (leg.uncancellable === why) return leg
  const told = await changed(ports, leg, { uncancellable: why })
  if (!legs.some(({ uncancellable }) => uncancellable === why))
    round.log(
      new Error(
        `A transaction of ${leg.from} on chain ${leg.chainId} (${referenceText(leg.reference)}): ${stillOpen(why)}`,
      ),
    )
  return told
}

/** What is said of a transaction that was given up while its nonce cannot be filled. */
export function stillOpen(why: string): string {
  return `It was given up and may still be mined, for its nonce cannot be filled: ${why}`
}

function isLate({ head }: Round, { deadline }: Outgoing): boolean {
  return deadline !== null && head.timestamp >= deadline
}

const feeRefusals = ['underpriced', 'replacement_underpriced', 'fee_below_base_fee']

/** What becomes of a transaction whose newest attempt the node refuses, and none of whose attempts it has. */
async function refused(
  round: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  fresh: ReadonlySet<number>,
  failure: DomainError,
): Promise<Outgoing> {
  const { ports } = round
  const kind = failure.details.metadata?.refusal ?? ''
  // It was offered once, just now, and is not there: it never left.
  if (leg.state === 'signed' && fresh.has(leg.id))
    return await changed(ports, leg, { move: moveOf('signed', 'failed'), error: failure.message })
  if (feeRefusals.includes(kind) && mayRaise(leg)) return await again(round, leg, legs, purposeOf(leg))
  // It may have left before the last process died: its nonce is filled.
  if (leg.state === 'signed' && leg.error === null && kind !== 'nonce_too_low')
    return await changed(ports, leg, { error: failure.message })
  return leg
}

function purposeOf({ error }: Outgoing): Attempt['purpose'] {
  return error === null ? 'leg' : 'cancel'
}

/** Bytes may be with the node although nothing was noted: its answer, or the process, was lost. */
async function hasLeft(chain: Chain, { attempts }: Outgoing): Promise<boolean> {
  for (const { hash } of attempts.toReversed()) if (await chain.knows(hash)) return true
  return false
}

function isRefusal(failure: unknown): failure is DomainError {
  return failure instanceof DomainError && failure.code === 'TRANSACTION_REJECTED'
}
