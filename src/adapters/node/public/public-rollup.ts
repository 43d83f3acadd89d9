import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject, Rollup } from '../../../domain/ports/node.ts'
import { quantityOf } from '../../../kit/hex.ts'
import { neverAborts } from '../../../kit/values.ts'
import { nodePool } from './node-pool.ts'

/** The rollup node (op-node), called by its own method names. Without its URL every method is UNIMPLEMENTED. */
export function publicRollup(urls: readonly string[] | null): Rollup {
  const pool = urls === null ? null : nodePool(urls)
  const read = async (method: string, params: readonly unknown[] = []): Promise<NodeObject> => {
    if (pool === null)
      throw new DomainError('UNIMPLEMENTED', 'This gateway has no rollup node. Its operator can set ROLLUP_RPC_URL.')
    return (await pool.request(method, params, neverAborts)) as NodeObject
  }
  return {
    syncStatus: async () => await read('optimism_syncStatus'),
    config: async () => await read('optimism_rollupConfig'),
    outputAt: async (number) => await read('optimism_outputAtBlock', [quantityOf(number)]),
  }
}
