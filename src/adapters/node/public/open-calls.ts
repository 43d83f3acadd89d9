import type { DomainError } from '../../../domain/core/errors.ts'
import { nodeError } from '../errors/node-errors.ts'
import type { PoolMember } from './pool-member.ts'

type Call = { member: PoolMember; began: number; outcome: Promise<Outcome> }
/** What one node made of the call. */
export type Outcome = { call: Call } & ({ result: unknown; isBehind: boolean } | { failure: DomainError })

/** One call that several nodes answer at the same time. Disposing ends those that are still open. */
export type OpenCalls = Disposable & {
  start(member: PoolMember): void
  /** The next outcome; `late` where there is none within so many milliseconds, null where no call is open. */
  next(milliseconds: number | null): Promise<Outcome | 'late' | null>
  /** How long the node that was called last may take before another one is called too. */
  patienceMs(): number
  /** Notes of each open call that another node has answered it. */
  noteOvertaken(): void
  /** Lets the open calls end by themselves, whatever the signal does: each node gets a transaction. */
  letGoOn(): void
}

/** A call, and the number of a block without which the answer of a node is an old one; negative where there is none. */
type Called = { method: string; params: readonly unknown[]; signal: AbortSignal; needs?: bigint }

/** Opens the calls of one method. They end when the signal aborts, with CANCELLED. */
export function openCalls({ method, params, signal, needs = -1n }: Called): OpenCalls {
  const open = new Set<Call>()
  const ending = new AbortController()
  const end = () => ending.abort()
  signal.addEventListener('abort', end, { once: true })
  let last: PoolMember | null = null

  function dispose(): void {
    signal.removeEventListener('abort', end)
    ending.abort()
  }

  return {
    start(member) {
      last = member
      const began = performance.now()
      const call: Call = {
        member,
        began,
        outcome: member.callAt(needs, method, params, ending.signal).then(
          (answer) => ({ call, ...answer }),
          (thrown) => ({ call, failure: nodeError(method, thrown) }),
        ),
      }
      open.add(call)
    },
    async next(milliseconds) {
      if (open.size === 0) return null
      const late = Promise.withResolvers<'late'>()
      const timer = milliseconds === null ? undefined : setTimeout(() => late.resolve('late'), milliseconds)
      const outcome = await Promise.race([...[...open].map((call) => call.outcome), late.promise])
      clearTimeout(timer)
      if (outcome !== 'late') open.delete(outcome.call)
      return outcome
    },
    patienceMs: () => last?.patienceMs(method) ?? 0,
    noteOvertaken() {
      const now = performance.now()
      for (const { member, began } of open)
        if (now - began >= member.patienceMs(method)) member.overtaken(method, began)
    },
    letGoOn: () => signal.removeEventListener('abort', end),
    [Symbol.dispose]: dispose,
  }
}
