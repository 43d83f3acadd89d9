import { DomainError } from '../errors.ts'
import type { Ports } from '../ports.ts'
import type { Chain } from '../ports/chains.ts'
import type { Outgoing } from '../ports/trades.ts'

type Needs = Pick<Ports, 'outbox' | 'signer'>

/** True where nothing more happens to the transaction. */
export function isDone({ state }: Outgoing): boolean {
  return state === 'included' || state === 'reverted' || state === 'failed'
}

/**
 * Takes the legs of one reference as far as they go now: signs what is reserved, offers what is signed to the node, and
 * reads the receipts of what was offered. Every step is stored before the next, and each may be repeated: a crash at
 * any line is taken up here. Run it in the lane of the account. Rejects where the chain or the store cannot be reached.
 */
export async function advance(ports: Needs, chain: Chain, legs: readonly Outgoing[]): Promise<void> {
  let broken: string | null = null
  for (const leg of legs) {
    if (leg.state === 'failed' || leg.state === 'reverted') broken ??= 'A transaction before it failed.'
    if (isDone(leg)) continue
    // A leg that has not left yet must not follow one that will never be mined.
    if (broken !== null && leg.state !== 'broadcast') {
      await ports.outbox.move(leg.id, leg.state, { state: 'failed', error: broken })
      continue
    }
    broken = await step(ports, chain, leg)
  }
}

/** Answers why the leg failed, or null while there is hope. */
async function step(ports: Needs, chain: Chain, leg: Outgoing): Promise<string | null> {
  if (leg.state === 'broadcast') return await watch(ports, chain, leg)
  const signed = leg.state === 'reserved' ? await sign(ports, chain, leg) : leg
  return typeof signed === 'string' ? signed : await offer(ports, chain, signed)
}

async function sign(ports: Needs, chain: Chain, leg: Outgoing): Promise<Outgoing | string> {
  const { nonce, call, gas, from } = leg
  if (nonce === null) throw new Error(`Transaction ${leg.id} is reserved without a nonce.`)
  const fees = await chain.fees()
  try {
    const { raw, hash } = await ports.signer.sign(from, { ...call, ...fees, gas, nonce, chainId: leg.chainId })
    const mine = await ports.outbox.move(leg.id, 'reserved', { state: 'signed', raw, hash })
    // Another process signed it, perhaps with other fees: its bytes are the ones that count.
    if (!mine) throw new DomainError('UNAVAILABLE', 'Another process is sending this transaction.')
    return { ...leg, state: 'signed', raw, hash }
  } catch (failure) {
    if (!(failure instanceof DomainError) || failure.code !== 'FAILED_PRECONDITION') throw failure
    await ports.outbox.move(leg.id, 'reserved', { state: 'failed', error: failure.message })
    return failure.message
  }
}

async function offer(ports: Needs, chain: Chain, leg: Outgoing): Promise<string | null> {
  if (leg.raw === null || leg.hash === null) throw new Error(`Transaction ${leg.id} is signed without bytes.`)
  try {
    await chain.broadcast(leg.raw)
  } catch (failure) {
    if (!isRefusal(failure)) throw failure
    // The node refuses as well what it has mined already, offered by a process that died right after.
    if ((await chain.receipt(leg.hash)) === null) {
      await ports.outbox.move(leg.id, 'signed', { state: 'failed', error: failure.message })
      return failure.message
    }
  }
  await ports.outbox.move(leg.id, 'signed', { state: 'broadcast' })
  return null
}

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
