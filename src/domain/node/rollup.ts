import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'

type Rollup = typeof contract.chain

/** Heads of this chain and its parent chain. */
export const rollupSyncStatus: Handler<Rollup['rollupSyncStatus'], 'rollup'> = async ({ rollup }) =>
  (await rollup.syncStatus()) as OutputOf<Rollup['rollupSyncStatus']>

/** Settings of the rollup. */
export const rollupRollupConfig: Handler<Rollup['rollupRollupConfig'], 'rollup'> = async ({ rollup }) =>
  (await rollup.config()) as OutputOf<Rollup['rollupRollupConfig']>

/** The output root at a block, by number or tag. */
export const rollupOutputAtBlock: Handler<Rollup['rollupOutputAtBlock'], 'node' | 'rollup'> = async (
  { node, rollup },
  { block },
  call,
) => {
  const found = (await node.request('eth_getBlockByNumber', [block, false], call.signal)) as { number: string } | null
  if (found === null) throw call.fail('NOT_FOUND', 'The block is unknown.')
  return (await rollup.outputAt(BigInt(found.number))) as OutputOf<Rollup['rollupOutputAtBlock']>
}
