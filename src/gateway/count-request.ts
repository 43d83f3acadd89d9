import type { RateClass } from '../contract/shared/limits.ts'
import type { Operation } from '../contract/shared/operation.ts'
import type { Counted, Requester, Settle } from './rate-limits.ts'
import type { Context, ResponseHeaders } from './request.ts'

/** A request that was counted before its input was read. `known` counts it by its input, once that is checked. */
export type CountedRequest = { settle: Settle; known(input: unknown): Promise<void> }

/** A request that is a part of one that was counted. */
export const uncounted: CountedRequest = { settle: async () => undefined, known: async () => undefined }

/**
 * Counts a request against the class of its operation, and one that trades against `execute`. RATE_LIMITED where either is
 * used up.
 */
export async function countRequest(
  { limit, refuse }: Pick<Context, 'limit' | 'refuse'>,
  { rate, trades }: Pick<Operation, 'rate' | 'trades'>,
  requester: Requester,
  headers: ResponseHeaders,
): Promise<CountedRequest> {
  const own: RateClass = rate === 'restrain' && requester.session !== null ? 'default' : rate
  const count = async (name: RateClass) => ({ name, ...(await limit(name, requester, headers)) })
  const replaces = trades?.counts === 'instead'
  // Before its input is read, a request may be either: one whose own class is used up may still trade.
  const first: Counted & { name: RateClass } = await count(own).catch(async (refusal: unknown) => {
    if (!replaces) throw refusal
    return await count('execute').catch(() => Promise.reject(refusal))
  })
  return {
    settle: first.settle,
    async known(input) {
      const isTrade = trades?.when(input as never) === true
      const name = isTrade ? 'execute' : own
      if (name === first.name) return
      await count(name).catch(async (refusal: unknown) => {
        // It was read without a place in its class, so it counts as work.
        if (!isTrade) await Promise.all([first.undo(), refuse(requester, headers, 1)])
        throw refusal
      })
      if (replaces) await first.undo()
    },
  }
}
