import type { Hex } from 'viem'
import type { Prepared } from '../engine/reads.ts'
import { isEngineUnavailable } from '../kit/rpc-error.ts'
import type { PendingPool } from './pending-pool.ts'

/** The most transactions that a fork is given: each takes it some milliseconds, and it is given them again in each block. */
const most = 16

/**
 * The pending transactions that a read of the pending state sees, as work for a fork: those of its sender, by nonce, since
 * they come before the one that it asks about; without a sender the first ones of the pool. Undefined where there are none.
 */
export function pendingFor(pool: Pick<PendingPool, 'all' | 'of'>, sender: unknown): Prepared | undefined {
  const waiting = typeof sender === 'string' ? [...pool.of(sender.toLowerCase() as Hex).values()] : pool.all()
  const first = typeof sender === 'string' ? waiting.toSorted((one, other) => one.nonce - other.nonce) : waiting
  const seen = first.slice(0, most)
  if (seen.length === 0) return undefined
  return {
    name: seen.map(({ hash }) => hash).join(),
    async work(call) {
      for (const { raw } of seen) {
        try {
          await call('eth_sendRawTransaction', [raw])
        } catch (error) {
          // What the fork refuses, such as a transaction that has been mined meanwhile, the next block would not have either.
          if (isEngineUnavailable(error)) throw error
        }
      }
    },
  }
}
