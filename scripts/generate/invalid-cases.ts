import { differences } from '../../src/contract/shared/differences.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { isStrict } from '../../src/contract/shared/unknown-fields.ts'
import { outOfBounds } from '../../src/gateway/validation.ts'
import { boundsOf, defOf, metaOf, numberFormat, type Schema, textsOf, unwrap } from './schema.ts'

export type Protocol = 'rest' | 'trpc' | 'grpc'

/** An example with one change: the value at a path is replaced or removed. */
export type InvalidCase = {
  name: string
  at: (string | number)[]
  /** Undefined removes the value. */
  to: unknown
  /** The path that the refusal must name. */
  path: string
  /** The protocols that can carry such an input. */
  protocols: Protocol[]
}

type Location = { at: (string | number)[]; schema: Schema; example: unknown }
type Candidate = { name: string; to: unknown; at?: (string | number)[]; says: 'anything' | 'json' | 'noGrpc' }

/** Longer texts do not fit into a URL; fields with the same bounds test theirs. */
const longestText = 8_001

/** Inputs of an operation that violate one rule each, checked against its schema. */
export function invalidCases(operation: Operation): InvalidCase[] {
  const locations = locationsIn({ at: [], schema: operation.input, example: operation.example.input })
  const cases = locations.flatMap((location) =>
    candidatesAt(location).map((candidate) => caseOf(operation, location, candidate)),
  )
  return cases.filter((one) => one.protocols.length > 0 && isRefused(operation, one))
}

/** The paths of an example, the whole first, and of the optional fields that it leaves out. */
function locationsIn(location: Location): Location[] {
  const { inner } = unwrap(location.schema)
  const def = defOf(inner)
  const below = (key: string | number, schema: Schema, example: unknown) =>
    locationsIn({ at: [...location.at, key], schema, example })
  if (location.example === undefined || metaOf(inner).proto !== undefined) return [location]
  if (def.type === 'object') {
    const example = location.example as Record<string, unknown>
    return [location, ...Object.entries(def.shape).flatMap(([key, field]) => below(key, field, example[key]))]
  }
  const [first] = def.type === 'array' && Array.isArray(location.example) ? location.example : []
  return def.type === 'array' && first !== undefined ? [location, ...below(0, def.element, first)] : [location]
}

function candidatesAt(location: Location): Candidate[] {
  const { inner, optional } = unwrap(location.schema)
  const last = location.at.at(-1)
  // An optional field may be required by a rule over several fields. Those that are not refused are no cases.
  const missing: Candidate[] =
    typeof last === 'string' && (!optional || location.example !== undefined)
      ? [{ name: 'missing', to: undefined, says: isList(inner) ? 'noGrpc' : 'anything' }]
      : []
  const type: Candidate[] = location.at.length === 0 ? [] : wrongType(inner)
  const unknownField: Candidate[] =
    isStrict(inner) && location.example !== undefined
      ? [{ name: 'unknown field', at: [...location.at, 'no_such_field'], to: '1', says: 'noGrpc' }]
      : []
  return [...missing, ...type, ...wrongValues(location, inner), ...unknownField]
}

function isList(schema: Schema): boolean {
  return defOf(schema).type === 'array' || metaOf(schema).proto === 'oneOrMany'
}

function wrongType(schema: Schema): Candidate[] {
  const { type } = defOf(schema)
  if (type === 'unknown') return []
  if (type === 'number' || type === 'boolean') return [{ name: 'wrong type', to: 'neither', says: 'noGrpc' }]
  return [{ name: 'wrong type', to: 7, says: 'json' }]
}

/** Values of the right type that are out of bounds. A moment is not text in protobuf, so its text cannot be invalid there. */
function wrongValues(location: Location, schema: Schema): Candidate[] {
  const def = defOf(schema)
  const says = metaOf(schema).proto === 'timestamp' ? 'noGrpc' : 'anything'
  const { least, most, atLeast, atMost } = boundsOf(schema)
  if (textsOf(schema) !== null) return [{ name: 'unknown choice', to: 'no such choice', says }]
  if (def.type === 'string') {
    return [
      { name: 'malformed', to: '?', says },
      { name: 'with a NUL', to: 'a\0b', says },
      ...(atLeast !== undefined && atLeast > 0
        ? [{ name: 'too short', to: 'x'.repeat(atLeast - 1), says } as const]
        : []),
      ...(atMost !== undefined && atMost < longestText
        ? [{ name: 'too long', to: 'x'.repeat(atMost + 1), says } as const]
        : []),
    ]
  }
  if (def.type === 'number') {
    const whole = numberFormat(schema) === 'int32' || numberFormat(schema) === 'safeint'
    return [
      ...(whole ? [{ name: 'no whole number', to: 0.5, says: 'noGrpc' } as const] : []),
      ...(least === undefined ? [] : [{ name: 'too small', to: least - 1, says: carries(schema, least - 1) } as const]),
      ...(most === undefined ? [] : [{ name: 'too large', to: most + 1, says: carries(schema, most + 1) } as const]),
    ]
  }
  const [item] = Array.isArray(location.example) ? location.example : []
  const tooMany = def.type === 'array' && atMost !== undefined && item !== undefined
  const tooFew = def.type === 'array' && atLeast !== undefined && atLeast > 0
  return [
    ...(tooMany ? [{ name: 'too many', to: Array.from({ length: atMost + 1 }, () => item), says } as const] : []),
    ...(tooFew ? [{ name: 'too few', to: [], says: 'anything' } as const] : []),
  ]
}

/** A number outside its protobuf type cannot be sent there. */
function carries(schema: Schema, value: number): Candidate['says'] {
  const format = numberFormat(schema)
  if (format === 'int32') return Math.abs(value) <= 2_147_483_647 ? 'anything' : 'noGrpc'
  if (format === 'safeint') return Number.isSafeInteger(value) ? 'anything' : 'noGrpc'
  return 'anything'
}

/** Protocols that cannot carry a value of the wrong type or a field that the message does not have. */
const jsonOnly: readonly Protocol[] = [...differences.unknownFields.protocols, ...differences.undecodable.protocols]

function caseOf({ http }: Operation, location: Location, { name, to, at = location.at, says }: Candidate): InvalidCase {
  const path = at.join('.')
  const [field] = at
  const inPath = http?.path.includes(`{${field}}`) === true
  const asText =
    http !== undefined && (http.method === 'GET' || http.method === 'DELETE' || http.body === 'form' || inPath)
  // A URL with a missing or empty part is another URL.
  const restCan = http !== undefined && !(asText && says === 'json') && !(inPath && (to === undefined || to === ''))
  const protocols = (['rest', 'trpc', 'grpc'] as const).filter(
    (protocol) => (protocol !== 'rest' || restCan) && (says === 'anything' || !jsonOnly.includes(protocol)),
  )
  return { name: `${path}: ${name}`, at, to, path, protocols }
}

/** True where validation refuses the changed example and names the path. */
function isRefused({ input, example, values }: Operation, { at, to, path }: InvalidCase): boolean {
  if (outOfBounds(changed(example.input, at, to), values)?.path === path) return true
  const issues = input.safeParse(changed(example.input, at, to)).error?.issues ?? []
  return issues.some((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : []
    return [issue.path, ...keys.map((key) => [...issue.path, key])].some((found) => found.join('.') === path)
  })
}

/** A copy with another value at a path; undefined removes it. */
export function changed(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? changed(item, rest, to) : item))
  const { [key]: before, ...others } = (value ?? {}) as Record<string, unknown>
  const after = changed(before, rest, to)
  return after === undefined ? others : { ...others, [key]: after }
}
