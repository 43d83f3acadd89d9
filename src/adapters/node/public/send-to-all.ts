import { DomainError } from '../../../domain/core/errors.ts'
import { cancelled } from '../../async/single-flight.ts'
import { isSilence, silence, TimeoutError } from '../errors/failures.ts'
import { isKnownAlready } from '../errors/node-errors.ts'
import { openCalls } from './open-calls.ts'
import type { PoolMember } from './pool-member.ts'

const method = 'eth_sendRawTransaction'
/** How long the other nodes are waited for once one has refused the transaction. */
const restMs = 1_000

/**
 * Sends a transaction to all nodes that respond at the same time. One that takes it, or has it already, decides. Where all
 * refuse, the last refusal counts; a node that stays silent or fails may have taken it, so it counts for more. So do the
 * `silent` failures of nodes that were called before these.
 */
export async function sendToAll(
  members: readonly PoolMember[],
  params: readonly unknown[],
  signal: AbortSignal,
  silent: readonly DomainError[] = [],
): Promise<unknown> {
  if (signal.aborted) throw cancelled()
  const up = members.filter((member) => !member.isDown())
  const called = up.length > 0 ? up : members
  const calls = openCalls({ method, params, signal })
  for (const member of called) calls.start(member)
  const failures = new Map<PoolMember, DomainError>()
  for (;;) {
    const outcome = await calls.next([...failures.values()].some(isRefusal) ? restMs : null)
    if (signal.aborted) throw cancelled()
    if (outcome === null) break
    if (outcome === 'late') {
      calls.noteOvertaken()
      calls.letGoOn()
      throw decisive([...silent, silence(new TimeoutError(`no response within ${restMs} ms`)), ...failures.values()])
    }
    if ('result' in outcome || isKnownAlready(outcome.failure)) calls.letGoOn()
    if ('result' in outcome) return outcome.result
    if (isKnownAlready(outcome.failure)) throw outcome.failure
    failures.set(outcome.call.member, outcome.failure)
  }
  calls[Symbol.dispose]()
  const others = members.filter((member) => !called.includes(member))
  const inOrder = called.flatMap((member) => failures.get(member) ?? [])
  if (others.length > 0 && !inOrder.some(isRefusal)) return await sendToAll(others, params, signal, inOrder)
  throw decisive([...silent, ...inOrder])
}

/** The failure that counts; silence tells too where a node said that the nonce is used, perhaps by this transaction. */
function decisive(failures: readonly DomainError[]): DomainError {
  // A node that failed at it, or was full, has not said that it lacks it either.
  const silent = failures.find(isSilence) ?? failures.find(({ code }) => code === 'UNAVAILABLE')
  const used = failures.find(({ details }) => details.metadata?.refusal === 'nonce_too_low')
  if (silent === undefined) return failures.at(-1) ?? silence(new Error('no node'))
  return new DomainError(silent.code, silent.message, { ...used?.details, ...silent.details }, silent.cause)
}

function isRefusal(failure: DomainError): boolean {
  return !isSilence(failure)
}
