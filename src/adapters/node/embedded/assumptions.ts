import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import type { Mend } from './mend.ts'

/** What a question assumes of accounts and of its block. */
export type Assumptions = { stateOverrides?: Record<string, NodeObject>; blockOverrides?: NodeObject }

/** What the engine takes and does not heed. */
const ignored = ['blobBaseFee', 'beaconRoot', 'withdrawals', 'movePrecompileToAddress']

/** Throws UNIMPLEMENTED where the engine would answer as if it had not been told what to assume. */
export function assumable({ stateOverrides = {}, blockOverrides = {} }: Assumptions): void {
  const told = [blockOverrides, ...Object.values(stateOverrides)].flatMap(Object.keys)
  const lacking = ignored.find((name) => told.includes(name))
  if (lacking === undefined) return
  throw new DomainError('UNIMPLEMENTED', `The embedded chain cannot assume ${lacking}; leave it out.`)
}

/** Asks as the engine is asked anyway, if it can assume what stands after the call and its block. */
export function assuming(mend: Mend): Mend {
  return async (ask, params, method) => {
    const [, , stateOverrides, blockOverrides] = params as [unknown, unknown, NodeObject?, NodeObject?]
    assumable({ ...(stateOverrides && { stateOverrides }), ...(blockOverrides && { blockOverrides }) } as Assumptions)
    return await mend(ask, params, method)
  }
}
