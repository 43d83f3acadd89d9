import type { RpcBinding } from '../contract/shared/operation.ts'
import { quantityOf } from '../kit/hex.ts'
import { isRecord } from '../kit/values.ts'

/** Reads the parameters of a JSON-RPC method as the fields of its operation. */

/** Names positional parameters; null means absent. The first surplus parameter is retained, so that validation refuses it. */
export function fieldsByPosition(rpc: RpcBinding, params: unknown[]): Record<string, unknown> {
  const named = params
    .slice(0, rpc.params.length + 1)
    .map((value, index) => fieldOf(rpc, rpc.params[index] ?? `params.${index}`, value))
  return Object.fromEntries(named.filter(([, value]) => value !== null))
}

export function fieldsByName(rpc: RpcBinding, params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => fieldOf(rpc, name, value)))
}

/** A field in the contract's form. Callers may write some fields in other forms too. */
function fieldOf({ params, block }: RpcBinding, name: string, value: unknown): [string, unknown] {
  const normalize = block !== undefined && params[block] === name ? blockOf : otherForms.get(name)
  return [name, normalize?.(value) ?? value]
}

const otherForms: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['blockCount', countOf],
  ['blockOverrides', overridesOf],
  ['options', withOverrides],
  ['simulation', simulationOf],
])

/** The number or hash of a block that is named by an object (EIP-1898). */
function blockOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blockHash, blockNumber, requireCanonical: _canonical, ...others } = value
  const one = Object.keys(others).length === 0 && (blockHash === undefined) !== (blockNumber === undefined)
  return one ? (blockHash ?? blockNumber) : value
}

/** The one quantity that many libraries send as a plain integer. */
function countOf(value: unknown): unknown {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? quantityOf(Number(value)) : value
}

/** Names of block fields that nodes used before execution-apis defined them. */
const olderNames: ReadonlyMap<string, string> = new Map([
  ['coinbase', 'feeRecipient'],
  ['random', 'prevRandao'],
  ['baseFee', 'baseFeePerGas'],
])

/** Replaces older names by the current ones. Where both are given, validation refuses the older one. */
function overridesOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const named = Object.entries(value).map(([name, field]): [string, unknown] => {
    const present = olderNames.get(name)
    return [present === undefined || present in value ? name : present, field]
  })
  return Object.fromEntries(named)
}

function withOverrides(value: unknown): unknown {
  return isRecord(value) && 'blockOverrides' in value
    ? { ...value, blockOverrides: overridesOf(value.blockOverrides) }
    : value
}

function simulationOf(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.blockStateCalls)) return value
  return { ...value, blockStateCalls: value.blockStateCalls.map(withOverrides) }
}
