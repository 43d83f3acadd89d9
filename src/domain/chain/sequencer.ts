import type { contract } from '../../contract/index.ts'
import { DomainError } from '../errors.ts'
import type { Handler } from '../handler.ts'
import type { Sequencing } from '../ports/node.ts'

/** Starts sealing blocks; what was accepted meanwhile is in the next one. */
export const adminStartSequencer: Handler<typeof contract.chain.adminStartSequencer, 'sequencing'> = async ({
  sequencing,
}) => await ours(sequencing).start()

/** Stops sealing blocks; transactions are still accepted, and wait. */
export const adminStopSequencer: Handler<typeof contract.chain.adminStopSequencer, 'sequencing'> = async ({
  sequencing,
}) => !(await ours(sequencing).stop())

function ours(sequencing: Sequencing | null): Sequencing {
  if (sequencing !== null) return sequencing
  throw new DomainError('UNIMPLEMENTED', 'The blocks of this chain are not made here; ask the operator of its node.')
}
