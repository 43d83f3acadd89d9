import { DomainError } from '../../../domain/core/errors.ts'
import { cancelled } from '../../async/single-flight.ts'
import { isSilence, silence, TimeoutError } from '../errors/failures.ts'
import { isKnownAlready } from '../errors/node-errors.ts'
import type { RequestOptions } from '../upstream.ts'
import { openCalls } from './open-calls.ts'
import type { PoolMember } from './pool-member.ts'

/** A read, and the nodes that it may be read from, the best one first. */
type Read = Pick<RequestOptions, 'suits' | 'unanimous'> & {
  members: readonly PoolMember[]
  method: string
  params: readonly unknown[]
  signal: AbortSignal
  /** Number of a block without which the answer of a node is an old one; it counts where no node has the block. */
  needs: bigint
}

/**
 * Reads from the first node, and from the next one too where that is late or fails; the first usable result counts. A node
 * that was overtaken so is called after the others from then on.
 */
export async function readHedged({ members, suits, unanimous, ...call }: Read): Promise<unknown> {
  const { signal } = call
  if (signal.aborted) throw cancelled()
  const waiting = [...members]
  using calls = openCalls(call)
  const responses = responsesOf(suits, unanimous)
  for (;;) {
    const next = waiting.shift()
    if (next !== undefined && !(next.isDown() && responses.any())) calls.start(next)
    const restMs = responses.any() ? othersMs : null
    const outcome = await calls.next(waiting.length > 0 ? calls.patienceMs() : restMs)
    if (signal.aborted) throw cancelled()
    if (waiting.length === 0 && (outcome === null || outcome === 'late')) {
      calls.noteOvertaken()
      return responses.last(outcome === 'late')
    }
    if (outcome !== null && outcome !== 'late' && responses.decides(outcome)) {
      calls.noteOvertaken()
      if ('failure' in outcome) throw outcome.failure
      return outcome.result
    }
  }
}

/** How long the last nodes may take, in milliseconds, once another one has responded. */
const othersMs = 1_000

type Response = { result: unknown; isBehind: boolean } | { failure: DomainError }

/** What the nodes have answered so far. */
function responsesOf(suits: NonNullable<RequestOptions['suits']> = () => true, unanimous = false) {
  const unsuitable: { result: unknown; isBehind: boolean }[] = []
  const failures: DomainError[] = []
  return {
    any: () => unsuitable.length > 0 || failures.some((failure) => !isSilence(failure)),
    /** Whether the response is final; else it is kept. */
    decides(response: Response): boolean {
      if ('result' in response) {
        const isUsable = suits(response.result) && !response.isBehind
        if (!isUsable) unsuitable.push(response)
        return isUsable
      }
      const { failure } = response
      failures.push(failure)
      const holds = unanimous ? holdsForAll(failure) : !anotherMay.has(failure.code)
      return holds && unsuitable.length === 0
    },
    /** What counts where no response was final, and whether a node has not responded yet. */
    last(isOpen: boolean): unknown {
      if (isOpen) failures.push(silence(new TimeoutError('no response yet')))
      // The node that is silent may have what the others lack.
      const silent = unanimous ? failures.find(isSilence) : undefined
      // An old answer counts only where no node has the block.
      const best = unsuitable.find(({ isBehind }) => !isBehind) ?? unsuitable[0]
      if (best !== undefined && silent === undefined) return best.result
      throw silent ?? failures.at(-1) ?? new DomainError('UNAVAILABLE', 'No node is configured for this chain.')
    },
  }
}

/**
 * Another node may respond, or have what this one lacks. An expensive call that timed out (DEADLINE_EXCEEDED) is not
 * repeated, unless the call is `unanimous`.
 */
const anotherMay: ReadonlySet<string> = new Set(['UNAVAILABLE', 'UNIMPLEMENTED', 'NOT_FOUND'])

/** A revert is a result of the call, and a transaction that one node has is sent. */
function holdsForAll(failure: DomainError): boolean {
  return failure.code === 'EXECUTION_REVERTED' || isKnownAlready(failure)
}
