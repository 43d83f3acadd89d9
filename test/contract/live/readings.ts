import { isDeepStrictEqual } from 'node:util'
import { type OperationId, operations } from '../../../src/contract/index.ts'
import { type ErrorCode, errorTable, rpcCodeOf } from '../../../src/contract/shared/errors.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import type { Client, Outcome } from '../../clients/client.ts'
import type { RpcClient } from '../../clients/json-rpc.ts'
import { canonical } from '../canonical.ts'
import { masked, withoutFresh } from '../masked.ts'
import { mustFit, shortHexMasked } from './answers.ts'
import { type Check, must, shown } from './check.ts'
import { inputFor } from './inputs.ts'
import type { Caller, Setup } from './setup.ts'

/** The answer to a reading without what differs between any two requests. JSON-RPC may have a number alone for a refusal. */
function essence(operation: Operation, outcome: Outcome, byNumber: boolean): unknown {
  if (outcome.ok) {
    mustFit(operation, outcome.output)
    return withoutFresh(canonical(operation.output, operation.output.parse(outcome.output)))
  }
  if (!byNumber) return { refused: outcome.code }
  const isRow = Object.hasOwn(errorTable, outcome.code)
  return { refused: isRow ? rpcCodeOf(outcome.code as ErrorCode, outcome.metadata) : outcome.status }
}

/** One account reads the same on every protocol. What changes by itself from one reading to the next is compared by shape. */
export function agreementChecks(setup: Setup): Check[] {
  const readings = operations().filter(
    ([, { kind, readOnly, http }]) => kind === 'unary' && (readOnly === true || http?.method === 'GET'),
  )
  const [first] = setup.callers
  if (first === undefined) return []
  return readings.flatMap(([id, operation]) => {
    const able = [...setup.callers.map(({ client }) => client), ...setup.rpc].filter((client) =>
      client.protocol.startsWith('rpc')
        ? operation.rpc !== undefined
        : client.protocol !== 'rest' || operation.http !== undefined,
    )
    const [base, ...others] = able
    if (base === undefined) return []
    return others.map((client) => ({
      id,
      door: client.protocol,
      rule: 'reads the same',
      name: `reads the same as ${base.protocol}`,
      lane: 'readings',
      judge: async () => await mustReadAlike(setup, first, id, operation, base, client),
    }))
  })
}

async function mustReadAlike(
  setup: Setup,
  caller: Caller,
  id: OperationId,
  operation: Operation,
  base: Client | RpcClient,
  client: Client | RpcClient,
): Promise<void> {
  const input = inputFor(setup, caller, id, operation)
  const token = setup.tokenFor(operation.auth, caller.account)
  const read = async (by: Client | RpcClient) =>
    essence(operation, orNull(operation, by, await by.call(id, input, token)), client.protocol.startsWith('rpc'))
  let pair: unknown[] = []
  let isSteady = false
  for (let tries = 0; tries < 5; tries += 1) {
    const [before, other, after] = [await read(base), await read(client), await read(base)]
    pair = [before, other]
    if (isDeepStrictEqual(before, other) || isDeepStrictEqual(after, other)) return
    // The base reads the same before and after: what differs does not change by itself.
    isSteady = isDeepStrictEqual(before, after)
    if (isSteady) break
  }
  const [expected, got] = isSteady ? pair : pair.map((part) => masked(shortHexMasked(part)))
  must(isDeepStrictEqual(expected, got), () => `It reads ${shown(got)}, and ${base.protocol} ${shown(expected)}`)
}

/** NOT_FOUND is the result null over JSON-RPC, for methods that say so. */
function orNull({ rpc }: Operation, { protocol }: Client | RpcClient, outcome: Outcome): Outcome {
  const isNull = protocol.startsWith('rpc') && rpc?.orNull === true && outcome.ok && outcome.output === null
  const { headers } = outcome
  return isNull ? { ok: false, code: 'NOT_FOUND', status: 0, message: '', violations: [], headers } : outcome
}
