import { DomainError } from '../core/errors.ts'
import { referenceText } from '../core/reference.ts'
import { settled } from '../core/settled.ts'
import type { Chain, Head } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Attempt, Outcome, Outgoing, TransactionChange } from '../ports/outbox.ts'
import { applyChange, applyChanges, isStuck, mayRaise, signNext } from './attempts.ts'
import { isDecided, isMined, moveOf } from './execution-state.ts'

type Needs = Pick<Ports, 'outbox' | 'signer'>

/** The state of the chain, and whether trading is halted, for one round of work. */
type Round = {
  ports: Needs
  chain: Chain
  head: Head
  /** The account's next nonce by the newest block. */
  next: number
  /** Nothing new is broadcast; abandoned nonces are still cancelled. */
  halted: boolean
  /** The most wei for a unit of gas that an attempt may offer; null is no limit. */
  mostPerGas: bigint | null
  /** Receives events that an operator should know. */
  log: (event: Error) => void
}

/** True once only the finality of its block can still change. */
export function isDone({ state }: Outgoing): boolean {
  return isDecided(state)
}

/**
 * Takes the transactions of one reference as far as possible now: reads which are mined, abandons those that cannot
 * succeed, signs, and broadcasts in the order of the nonces. What happens to several of them at once is stored at once. A
 * crash at any line is continued by the next call (W5). Call it within the queue of the account (W4). Returns what is
 * stored then. Rejects when the chain or the store cannot be reached.
 */
export async function advance(round: Round, stored: readonly Outgoing[]): Promise<Outgoing[]> {
  const read = await storeFound(round, [...stored], async (legs, found) => {
    await settled(legs.map(async (leg) => found(await readBlocks(round, leg))))
  })
  // The bytes of these are in this process alone until they are broadcast.
  const unsent = new Set<number>()
  const signed = await storeFound(round, read, async (legs, found) => {
    if (reasonToAbandon(round, legs) !== null || round.halted) return
    // In the order of the nonces: where one cannot be signed now, none after it is.
    for (const leg of legs.filter(({ state }) => state === 'reserved')) {
      unsent.add(leg.id)
      found(await sign(round, leg, legs))
    }
  })
  // What is lost of this is broadcast again in the next round.
  return await storeFound(round, signed, async (legs, found) => {
    for (const [index, leg] of legs.entries()) {
      if (isDone(leg)) continue
      const reason = leg.error === null ? reasonToAbandon(round, legs) : null
      const present = reason === null ? leg : await abandon(round, leg, legs, unsent, reason)
      legs[index] = present
      if (isDone(present)) continue
      legs[index] = await submit(round, present, legs, unsent, found)
    }
  })
}

type Found = (change: TransactionChange | null) => void

/**
 * Does a part of the work and then stores at once what it found, also where it failed on the way; that failure is thrown
 * then. Returns the transactions as they are stored.
 */
async function storeFound(
  { ports }: Round,
  legs: Outgoing[],
  work: (legs: Outgoing[], found: Found) => Promise<void>,
): Promise<Outgoing[]> {
  const changes: TransactionChange[] = []
  const found = (change: TransactionChange | null) => {
    if (change !== null) changes.push(change)
  }
  const store = async () => (changes.length === 0 ? [] : await applyChanges(ports, changes))
  const working = work(legs, found)
  const storing = working.then(store, store)
  await settled<unknown>([working, storing])
  const changed = await storing
  return legs.map((leg) => changed.find(({ id }) => id === leg.id) ?? leg)
}

/** Why the transactions that are not mined must not be mined any more, or null. */
function reasonToAbandon(round: Round, legs: readonly Outgoing[]): string | null {
  for (const { state, outcome, error } of legs) {
    if (state === 'failed' || error !== null) return error ?? 'A transaction before it failed.'
    if (outcome === 'reverted') return 'A transaction before it reverted.'
  }
  const late = legs.some((leg) => !isDone(leg) && isLate(round, leg))
  return late ? 'It was not mined before its deadline.' : null
}

/** Looks for the mined block of a transaction, for each of its attempts. Null where nothing changed. */
async function readBlocks({ ports, chain, next }: Round, leg: Outgoing): Promise<TransactionChange | null> {
  if (isDone(leg) || leg.nonce === null || leg.nonce >= next || leg.attempts.length === 0) return null
  for (const attempt of leg.attempts.toReversed()) {
    const receipt = await chain.receipt(attempt.hash)
    if (receipt === null) continue
    const { blockNumber, blockHash, status } = receipt
    const outcome: Outcome = attempt.purpose === 'cancel' ? 'cancelled' : status
    // Mined bytes were broadcast, even if the process died before it stored that.
    const sent = leg.state === 'signed' ? await applyChange(ports, leg, { move: moveOf('signed', 'broadcast') }) : leg
    const mined = { hash: attempt.hash, outcome, blockNumber, blockHash }
    return { transaction: sent, change: { move: moveOf(sent.state, 'included'), mined } }
  }
  // A lagging node may not know the receipt yet. A nonce used in a final block without a receipt was used by another (T4).
  const { finalized } = await chain.finality()
  if ((await chain.nonce(leg.from, finalized)) <= leg.nonce) return null
  for (const { hash } of leg.attempts) if ((await chain.receipt(hash)) !== null) return null
  const error = 'Another transaction took its place on the chain.'
  return { transaction: leg, change: { move: moveOf(leg.state, 'failed'), error } }
}

/** Signs a reserved transaction; it fails when its key cannot be used or the chain takes too much for gas. */
async function sign(round: Round, leg: Outgoing, legs: readonly Outgoing[]): Promise<TransactionChange> {
  const signed = await signNext(round.ports.signer, round.chain, leg, legs, 'leg', round.mostPerGas)
  if (!('unusable' in signed)) return signed
  return { transaction: leg, change: { move: moveOf(leg.state, 'failed'), error: signed.unusable } }
}

/** Frees a nonce whose bytes cannot have left the process, unless it must revoke an approval; others are cancelled (W6). */
async function abandon(
  { ports }: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  unsent: ReadonlySet<number>,
  error: string,
): Promise<Outgoing> {
  const neverSent = leg.state === 'reserved' || (leg.state === 'signed' && unsent.has(leg.id))
  const approved = legs.some(({ kind, state, outcome }) => kind === 'approve' && mayStand(state, outcome))
  const free = neverSent && !(leg.kind === 'swap' && approved)
  return await applyChange(ports, leg, free ? { move: moveOf(leg.state, 'failed'), error } : { error })
}

function mayStand(state: Outgoing['state'], outcome: Outcome | null): boolean {
  return isMined(state) ? outcome === 'success' : state !== 'failed' && state !== 'reserved'
}

/** Broadcasts the newest attempt, and raises the fee of a stuck transaction. What a node accepted is `found`. */
async function submit(
  round: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  unsent: ReadonlySet<number>,
  found: Found,
): Promise<Outgoing> {
  const { chain, head } = round
  const purpose = leg.error === null ? 'leg' : 'cancel'
  if (purpose === 'leg' && round.halted) return leg
  let present = leg
  if (purpose === 'cancel' && leg.attempts.at(-1)?.purpose !== 'cancel')
    present = await signAgain(round, leg, legs, purpose)
  else if (leg.nonce === round.next && isStuck(leg, head.number) && mayRaise(leg, round.mostPerGas))
    present = await signAgain(round, leg, legs, purpose)
  const attempt = present.attempts.at(-1)
  // An abandoned transaction is not broadcast again, even when its cancellation cannot be signed.
  if (attempt === undefined || isDone(present) || (purpose === 'cancel' && attempt.purpose !== 'cancel')) return present
  try {
    await chain.broadcast(attempt.raw) // repeating it is harmless, and a node that lost it receives it again
  } catch (failure) {
    if (!isRefusal(failure)) throw failure
    if (!(await isKnown(chain, present))) return await handleRefusal(round, present, legs, unsent, failure)
    if (!(await chain.knows(attempt.hash))) {
      // The node has an earlier attempt and asks more than this one to replace it, or more than it offers at all.
      const raises = isFeeRefusal(failure) && mayRaise(present, round.mostPerGas)
      return raises ? await signAgain(round, present, legs, purpose) : present
    }
  }
  found(acceptedBy(present, attempt, head.number))
  return present
}

/** What is to be stored of a broadcast that a node accepted; null where nothing changed. */
function acceptedBy(leg: Outgoing, { hash, offeredAt }: Attempt, at: bigint): TransactionChange | null {
  const sent = leg.state === 'signed' || leg.state === 'reorganised'
  if (!sent && offeredAt !== null) return null
  const offered = offeredAt === null ? { offered: { hash, at } } : {}
  return { transaction: leg, change: { ...offered, ...(sent ? { move: moveOf(leg.state, 'broadcast') } : {}) } }
}

/** Signs the next attempt; the earlier attempts stay when the key cannot be used. */
async function signAgain(round: Round, leg: Outgoing, legs: readonly Outgoing[], purpose: Attempt['purpose']) {
  const signed = await signNext(round.ports.signer, round.chain, leg, legs, purpose, round.mostPerGas)
  if (!('unusable' in signed)) return await applyChange(round.ports, leg, signed.change)
  return purpose === 'leg' ? leg : await failUncancellable(round, leg, legs, signed.unusable)
}

/**
 * An abandoned transaction that cannot be cancelled fails once it has no bytes, or once its deadline is past and the node
 * knows none of its attempts (T4). Past its deadline a swap has no effect; the bytes of another transaction could still be
 * mined if someone stored them. Until then it stays open, which is logged once for all transactions of the reference.
 */
async function failUncancellable(
  round: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  why: string,
): Promise<Outgoing> {
  const { ports, chain } = round
  if (leg.attempts.length === 0 || (isLate(round, leg) && !(await isKnown(chain, leg))))
    return await applyChange(ports, leg, { move: moveOf(leg.state, 'failed'), error: leg.error ?? why })
  if (leg.uncancellable === why) return leg
  const marked = await applyChange(ports, leg, { uncancellable: why })
  if (!legs.some(({ uncancellable }) => uncancellable === why))
    round.log(
      new Error(
        `A transaction of ${leg.from} on chain ${leg.chainId} (${referenceText(leg.reference)}): ${uncancellableMessage(why)}`,
      ),
    )
  return marked
}

/** Message for an abandoned transaction whose nonce cannot be cancelled. */
export function uncancellableMessage(why: string): string {
  return `It was abandoned and may still be mined, because its nonce cannot be cancelled: ${why}`
}

function isLate({ head }: Round, { deadline }: Outgoing): boolean {
  return deadline !== null && head.timestamp >= deadline
}

const feeRefusals = ['underpriced', 'replacement_underpriced', 'fee_below_base_fee']

/** Whether a node refused the fee alone, so that a higher one may be accepted. */
function isFeeRefusal({ details }: DomainError): boolean {
  return feeRefusals.includes(details.metadata?.refusal ?? '')
}

/** Handles a refusal of the newest attempt by a node that knows none of the attempts. */
async function handleRefusal(
  round: Round,
  leg: Outgoing,
  legs: readonly Outgoing[],
  unsent: ReadonlySet<number>,
  failure: DomainError,
): Promise<Outgoing> {
  const { ports } = round
  const kind = failure.details.metadata?.refusal ?? ''
  // It was broadcast for the first time in this round and the node does not know it, so the nonce is free (W6).
  if (leg.state === 'signed' && unsent.has(leg.id))
    return await applyChange(ports, leg, { move: moveOf('signed', 'failed'), error: failure.message })
  if (isFeeRefusal(failure) && mayRaise(leg, round.mostPerGas)) return await signAgain(round, leg, legs, purposeOf(leg))
  // An earlier process may have broadcast it before it died, so its nonce is cancelled.
  if (leg.state === 'signed' && leg.error === null && kind !== 'nonce_too_low')
    return await applyChange(ports, leg, { error: failure.message })
  return leg
}

function purposeOf({ error }: Outgoing): Attempt['purpose'] {
  return error === null ? 'leg' : 'cancel'
}

/** The node may have the bytes although that was not stored: its response, or the process, was lost. */
async function isKnown(chain: Chain, { attempts }: Outgoing): Promise<boolean> {
  for (const { hash } of attempts.toReversed()) if (await chain.knows(hash)) return true
  return false
}

function isRefusal(failure: unknown): failure is DomainError {
  return failure instanceof DomainError && failure.code === 'TRANSACTION_REJECTED'
}
