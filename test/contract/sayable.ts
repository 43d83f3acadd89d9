import { isDeepStrictEqual } from 'node:util'
import { defOf, type Schema, unwrap } from '../../scripts/generate/schema.ts'
import type { OperationId } from '../../src/contract/index.ts'
import { bounds } from '../../src/contract/shared/limits.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { rpcFields } from '../../src/protocols/rpc-fields.ts'
import type { Protocol } from '../clients/client.ts'
import type { RpcClient } from '../clients/json-rpc.ts'
import { loadMessages } from '../clients/messages.ts'
import { canonical } from './canonical.ts'

export type Door = Protocol | RpcClient['protocol']
type Input = Record<string, unknown>
type Rule = (id: OperationId, operation: Operation, input: Input) => boolean

/** The protocols that an operation has. */
export function doorsOf({ http, rpc, kind }: Operation): Door[] {
  const byRest: Door[] = http === undefined ? [] : ['rest']
  const byRpc: Door[] = rpc === undefined || kind === 'stream' ? [] : ['rpcByName', 'rpcByPlace']
  return [...byRest, 'trpc', 'grpc', ...byRpc]
}

/** The headers of a request have at most 16 KiB, and a text in a URL can take three times its length. */
const longestInAddress = 4_000

/** The bound of a body, of which the envelope takes a part. */
const largest = bounds.bodyBytes - 4_096

/**
 * Whether a protocol can send an input to an operation at all: encoded and decoded it must be the same. Only this
 * function excludes inputs from comparisons.
 */
export function createSayable(): (door: Door, ...asked: Parameters<Rule>) => boolean {
  const messages = loadMessages()
  const rules: Record<Door, Rule> = {
    rest: (_id, operation, input) => operation.http !== undefined && bindable(operation.http, operation, input),
    trpc: (_id, { kind, http }, input) => kind !== 'stream' || http?.method === 'POST' || fits(JSON.stringify(input)),
    // A value of another type cannot be encoded as the message; an unknown field is lost.
    grpc: (id, operation, input) => {
      if (namesProto(input)) return false
      try {
        const read = messages.decodeRequest(id, messages.encode(id, input))
        return isDeepStrictEqual(canonical(operation.input, read), canonical(operation.input, input))
      } catch {
        return false
      }
    },
    // Some fields have more than one valid spelling there.
    rpcByName: (_id, { rpc, input: schema }, input) =>
      rpc !== undefined && isDeepStrictEqual(rpcFields({ rpc, input: schema }, input), input),
    // Null stands for an absent parameter; a field without a position cannot be sent.
    rpcByPlace: (id, operation, input) =>
      rules.rpcByName(id, operation, input) &&
      Object.entries(input).every(([name, value]) => operation.rpc?.params.includes(name) && value !== null),
  }
  return (door, id, operation, input) =>
    doorsOf(operation).includes(door) &&
    Buffer.byteLength(JSON.stringify(input)) <= largest &&
    isDeepStrictEqual(JSON.parse(JSON.stringify(input)), input) &&
    rules[door](id, operation, input)
}

/** True where a field is called `__proto__`, which no message has and JSON objects lose. */
export function namesProto(input: unknown): boolean {
  return JSON.stringify(input).includes('"__proto__":')
}

function fits(text: string): boolean {
  return encodeURIComponent(text.toWellFormed()).length <= 3 * longestInAddress
}

/** Fields of the path, the query or a form are texts; the others are JSON. */
function bindable({ method, path, body }: NonNullable<Operation['http']>, operation: Operation, input: Input): boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const { shape } = operation.input
  const isText = method === 'GET' || method === 'DELETE' || body === 'form'
  const texts = Object.entries(input).filter(([name]) => isText || inPath.includes(name))
  const addressed = body === 'form' || !isText ? texts.filter(([name]) => inPath.includes(name)) : texts
  return (
    inPath.every((name) => isSegment(input[name])) &&
    texts.every(([name, value]) => isSameAsText(Object.hasOwn(shape, name) ? shape[name] : undefined, value)) &&
    texts.every(([name]) => name.isWellFormed()) &&
    fits(addressed.flat().join(''))
  )
}

/** A URL with a missing part, or with `..`, is another URL. */
function isSegment(value: unknown): boolean {
  return typeof value === 'string' && !['', '.', '..'].includes(value)
}

function isSameAsText(field: Schema | undefined, value: unknown): boolean {
  const type = field === undefined ? 'string' : defOf(unwrap(field).inner).type
  if (typeof value === 'string') return value.isWellFormed() && typeof asText(type, value) === 'string'
  return typeof value !== 'object' && isDeepStrictEqual(asText(type, String(value)), value)
}

/** The value of a text field where JSON would parse it as another type. */
function asText(type: string, text: string): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return type === 'number' && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}
