import type { RpcBinding } from '../../contract/shared/operation.ts'
import { isRecord } from './envelope.ts'

/** Positions become fields; null stands for an absent one. The first that is too many is kept for validation to refuse. */
export function fieldsByPlace(rpc: RpcBinding, params: unknown[]): Record<string, unknown> {
  const named = params
    .slice(0, rpc.params.length + 1)
    .map((value, index) => fieldOf(rpc.params[index] ?? `params.${index}`, value))
  return Object.fromEntries(named.filter(([, value]) => value !== null))
}

export function fieldsByName(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => fieldOf(name, value)))
}

/** A field as the contract has it, where callers write it in other ways too. */
function fieldOf(name: string, value: unknown): [string, unknown] {
  return [name, spellings.get(name)?.(value) ?? value]
}

const spellings: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['block', blockOf],
  ['blockCount', countOf],
  ['blockOverrides', overridesOf],
  ['options', withOverrides],
  ['simulation', simulationOf],
])

/** An object with one field (EIP-1898) stands for that field's value. */
function blockOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blockHash, blockNumber, requireCanonical: _canonical, ...others } = value
  const one = Object.keys(others).length === 0 && (blockHash === undefined) !== (blockNumber === undefined)
  return one ? (blockHash ?? blockNumber) : value
}

/** The one quantity that many libraries send as a plain integer. */
function countOf(value: unknown): unknown {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? `0x${Number(value).toString(16)}` : value
}

/** Names that nodes had for fields of a block before execution-apis named them. */
const olderNames: ReadonlyMap<string, string> = new Map([
  ['coinbase', 'feeRecipient'],
  ['random', 'prevRandao'],
  ['baseFee', 'baseFeePerGas'],
])

/** Older names become the present ones, unless both are there: then validation refuses the older one. */
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
