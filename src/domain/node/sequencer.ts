import type { contract } from '../../contract/index.ts'
import { DomainError } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Sequencing } from '../ports/node.ts'

/** Starts sealing blocks; what was accepted meanwhile is in the next one. A block that is named must be the newest. */
export const adminStartSequencer: Handler<typeof contract.chain.adminStartSequencer, 'node' | 'sequencing'> = async (
  { node, sequencing },
  { blockHash },
  call,
) => {
  const blocks = ours(sequencing)
  const newest = (await node.head()).hash
  if (blockHash !== undefined && blockHash.toLowerCase() !== newest)
    throw call.fail('FAILED_PRECONDITION', `The newest block is ${newest}; name that one, or none.`)
  return await blocks.start()
}

/** Stops sealing blocks; transactions are still accepted, and wait. */
export const adminStopSequencer: Handler<typeof contract.chain.adminStopSequencer, 'sequencing'> = async ({
  sequencing,
}) => !(await ours(sequencing).stop())

function ours(sequencing: Sequencing | null): Sequencing {
  if (sequencing !== null) return sequencing
  throw new DomainError('UNIMPLEMENTED', 'The blocks of this chain are not made here; ask the operator of its node.')
}
