import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import type { Workaround } from './workaround.ts'

/** State of accounts and fields of the block that a call is executed with, in place of the real ones. */
export type Overrides = { stateOverrides?: Record<string, NodeObject>; blockOverrides?: NodeObject }

/** Overrides that anvil accepts and ignores. */
const ignored = ['blobBaseFee', 'beaconRoot', 'withdrawals', 'movePrecompileToAddress']

/** Throws UNIMPLEMENTED where anvil would return a result that ignores an override. */
export function checkOverrides({ stateOverrides = {}, blockOverrides = {} }: Overrides): void {
  const given = [blockOverrides, ...Object.values(stateOverrides)].flatMap(Object.keys)
  const unsupported = ignored.find((name) => given.includes(name))
  if (unsupported === undefined) return
  throw new DomainError('UNIMPLEMENTED', `The embedded chain cannot override ${unsupported}. Leave it out.`)
}

/** Checks the overrides of a method whose overrides follow the call and its block. */
export function withCheckedOverrides(serve: Workaround): Workaround {
  return async (call, params, method) => {
    const [, , stateOverrides, blockOverrides] = params as [unknown, unknown, NodeObject?, NodeObject?]
    checkOverrides({
      ...(stateOverrides && { stateOverrides }),
      ...(blockOverrides && { blockOverrides }),
    } as Overrides)
    return await serve(call, params, method)
  }
}
