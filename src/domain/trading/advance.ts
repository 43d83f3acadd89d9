import { DomainError } from '../errors.ts'
import type { Chain } from '../ports/chains.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Ports } from '../ports.ts'

type Needs = Pick<Ports, 'outbox' | 'signer'>

/** True where nothing more happens to the transaction. */
export function isDone({ state }: Outgoing): boolean {
  return state === 'included' || state === 'reverted' || state === 'failed'
}

/**
 * Takes the legs of one reference as far as they go now: signs all that are reserved, then offers them to the node in
 * order, and reads the receipts of what was offered. Every step is stored before the next, and each may be repeated: a
 * crash at any line is taken up here. Run it in the lane of the account. Rejects where the chain or the store cannot be
 * reached.
 */
export async function advance(ports: Needs, chain: Chain, legs: readonly Outgoing[]): Promise<void> {
  const signed: Outgoing[] = []
  for (const leg of legs) signed.push(leg.state === 'reserved' ? await sign(ports, chain, leg) : leg)
  let broken: string | null = null
  for (const leg of signed) {
    if (leg.state === 'failed' || leg.state === 'reverted') broken ??= leg.error ?? 'A transaction before it failed.'
    if (isDone(leg)) continue
    if (leg.state === 'broadcast') broken ??= await watch(ports, chain, leg)
    // A leg that has not left yet must not follow one that will never be mined.
    else if (broken !== null && !(await hasLeft(chain, leg)))
      await ports.outbox.move(leg.id, leg.state, { state: 'failed', error: broken })
    else broken = await offer(ports, chain, leg)
  }
}

/** Answers the leg as it is stored now; one whose key cannot be used has failed. */
async function sign(ports: Needs, chain: Chain, leg: Outgoing): Promise<Outgoing> {
  const { nonce, call, gas, from } = leg
  if (nonce === null) throw new Error(`Transaction ${leg.id} is reserved without a nonce.`)
  const fees = await chain.fees()
  const change = await ports.signer.sign(from, { ...call, ...fees, gas, nonce, chainId: leg.chainId }).then(
    ({ raw, hash }) => ({ state: 'signed', raw, hash }) as const,
    (failure: unknown) => {
      if (!(failure instanceof DomainError) || failure.code !== 'FAILED_PRECONDITION') throw failure
      return { state: 'failed', error: failure.message } as const
    },
  )
  // Another process may have signed it, perhaps with other fees: then its bytes are the ones that count.
  const mine = await ports.outbox.move(leg.id, 'reserved', change)
  if (!mine) throw new DomainError('UNAVAILABLE', 'Another process is sending this transaction.')
  return { ...leg, ...change }
}

/** Hands signed bytes to the node; answers why it refused them for good, or null. */
async function offer(ports: Needs, chain: Chain, leg: Outgoing): Promise<string | null> {
  if (leg.raw === null || leg.hash === null) throw new Error(`Transaction ${leg.id} is signed without bytes.`)
  try {
    await chain.broadcast(leg.raw)
  } catch (failure) {
    if (!isRefusal(failure)) throw failure
    // An answer may have been lost on the way: what the node has, waiting or mined, has left.
    if (!(await hasLeft(chain, leg))) {
      await ports.outbox.move(leg.id, 'signed', { state: 'failed', error: failure.message })
      return failure.message
    }
  }
  await ports.outbox.move(leg.id, 'signed', { state: 'broadcast' })
  return null
}

/** Signed bytes may be with the node although nothing was noted: its answer, or the process, was lost. */
async function hasLeft(chain: Chain, { hash }: Outgoing): Promise<boolean> {
  return hash !== null && (await chain.knows(hash))
}

/** Looks for the receipt; answers why there will never be one, or null while there is hope. */
async function watch(ports: Needs, chain: Chain, leg: Outgoing): Promise<string | null> {
  if (leg.raw === null || leg.hash === null || leg.nonce === null) return null
  const receipt = await chain.receipt(leg.hash)
  if (receipt !== null) {
    await ports.outbox.move(leg.id, 'broadcast', { state: receipt.status === 'success' ? 'included' : 'reverted' })
    return null
  }
  try {
    await chain.broadcast(leg.raw) // a node that still has it says so; one that lost it has it again
    return null
  } catch (failure) {
    if (!isRefusal(failure)) throw failure
    const used = (await chain.nonce(leg.from, 'latest')) > leg.nonce
    if (!used || (await chain.receipt(leg.hash)) !== null) return null
    const error = 'Another transaction took its place on the chain.'
    await ports.outbox.move(leg.id, 'broadcast', { state: 'failed', error })
    return error
  }
}

function isRefusal(failure: unknown): failure is DomainError {
  return failure instanceof DomainError && failure.code === 'TRANSACTION_REJECTED'
}
