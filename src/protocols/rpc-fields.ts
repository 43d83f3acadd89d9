import type { z } from 'zod'
import { withoutNulls } from '../contract/shared/absent-fields.ts'
import type { RpcBinding } from '../contract/shared/operation.ts'
import { mostTopics } from '../contract/shared/primitives.ts'
import { isHash, quantityOf } from '../kit/hex.ts'
import { isRecord } from '../kit/values.ts'

/** Reads the parameters of a JSON-RPC method as the fields of its operation. */

type Method = { rpc: RpcBinding; input: z.ZodObject }

/** The fields of a method's parameters, by position or by name. A field that is null is absent, at any depth. */
export function rpcFields(
  { rpc, input }: Method,
  params: unknown[] | Record<string, unknown>,
): Record<string, unknown> {
  const named = Array.isArray(params) ? byPosition(rpc, params) : params
  const present = withoutNulls(input, named) as Record<string, unknown>
  return Object.fromEntries(Object.entries(present).map(([name, value]) => fieldOf(rpc, name, value)))
}

/** Names positional parameters. The first surplus parameter is retained, so that validation refuses it. */
function byPosition({ params: names }: RpcBinding, params: unknown[]): Record<string, unknown> {
  const named = params.slice(0, names.length + 1).map((value, index) => [names[index] ?? `params.${index}`, value])
  return Object.fromEntries(named)
}

/** A field in the contract's form. Callers may write some fields in other forms too. */
function fieldOf({ params, block }: RpcBinding, name: string, value: unknown): [string, unknown] {
  const normalize = block !== undefined && params[block] === name ? blockOf : otherForms.get(name)
  return [name, normalize?.(value) ?? value]
}

const otherForms: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['blockCount', countOf],
  ['blockOverrides', overridesOf],
  ['filter', filterOf],
  ['options', withOverrides],
  ['simulation', simulationOf],
])

/** The number or hash of a block that is named by an object (EIP-1898). */
function blockOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blockHash, blockNumber, requireCanonical: _canonical, ...others } = value
  const one = Object.keys(others).length === 0 && (blockHash == null) !== (blockNumber == null)
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

/** Null among the topics of a position matches any topic there, as the position itself does where it is null. */
function filterOf(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.topics)) return value
  const anyOf = (topic: unknown) => (Array.isArray(topic) && matchesAny(topic) ? null : topic)
  return { ...value, topics: value.topics.map(anyOf) }
}

/** A list that null alone makes invalid. */
function matchesAny(topics: readonly unknown[]): boolean {
  return topics.length <= mostTopics && topics.includes(null) && topics.every((one) => one === null || isHash(one))
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
