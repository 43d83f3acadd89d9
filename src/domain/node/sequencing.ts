import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { Sequencing } from '../ports/node.ts'

type Method = typeof contract.chain.sendRawTransactionSync

/** Sends a transaction and waits for its block. A caller that disconnects earlier has sent it nevertheless. */
export const sendRawTransactionSync: Handler<Method, 'node'> = async ({ node }, { transaction, timeout }, call) => {
  const { usual, most } = bounds.inclusionMs
  const waitMs = Math.min(timeout ?? usual, most)
  const hash = (await node.request('eth_sendRawTransaction', [transaction], call.signal)) as Hex
  const accepted = (what: string, cause?: unknown) =>
    call.fail(
      'NOT_INCLUDED_YET',
      `The transaction was accepted as ${hash}, ${what}. Request its receipt later.`,
      { metadata: { data: hash } },
      cause,
    )
  const receipt = await node.inclusion(hash, waitMs, call.signal).catch((failure: unknown) => {
    // The transaction stays sent, so a caller that still waits receives its hash.
    throw call.signal.aborted ? failure : accepted('but the node cannot say now whether it is in a block', failure)
  })
  if (receipt !== null) return receipt as OutputOf<Method> // the gateway checks it against the contract
  throw accepted(`but was in no block after ${waitMs} ms`)
}

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

/** Starts block production. Pending transactions are in the next block. A given block hash must be that of the newest block. */
export const adminStartSequencer: Handler<typeof contract.chain.adminStartSequencer, 'node' | 'sequencing'> = async (
  { node, sequencing },
  { blockHash },
  call,
) => {
  const blocks = ours(sequencing, call.fail)
  const newest = (await node.head()).hash
  if (blockHash !== undefined && blockHash.toLowerCase() !== newest)
    throw call.fail('FAILED_PRECONDITION', `The newest block is ${newest}. Send that hash or leave it out.`)
  return await blocks.start()
}

/** Stops block production. Transactions are still accepted and stay pending. */
export const adminStopSequencer: Handler<typeof contract.chain.adminStopSequencer, 'sequencing'> = async (
  { sequencing },
  _input,
  call,
) => !(await ours(sequencing, call.fail).stop())

function ours(sequencing: Sequencing | null, fail: Fail<'UNIMPLEMENTED'>): Sequencing {
  if (sequencing !== null) return sequencing
  throw fail(
    'UNIMPLEMENTED',
    'This gateway does not produce the blocks of the chain. Only the operator of its sequencer can start or stop it.',
  )
}
