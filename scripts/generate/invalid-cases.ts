import { differences } from '../../src/contract/shared/differences.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { outOfBounds } from '../../src/gateway/input-bounds.ts'
import { boundsOf, defOf, isStrict, metaOf, numberFormat, type Schema, textsOf, unwrap } from './schema.ts'

export type Protocol = 'rest' | 'trpc' | 'grpc'

/** An example with one change: the value at a place is another one, or gone. */
export type InvalidCase = {
  name: string
  at: (string | number)[]
  /** Undefined takes the value away. */
  to: unknown
  /** The path that the refusal must name. */
  path: string
  /** Who can carry such an input at all. */
  protocols: Protocol[]
}

type Place = { at: (string | number)[]; schema: Schema; example: unknown }
type Candidate = { name: string; to: unknown; at?: (string | number)[]; says: 'anything' | 'json' | 'noGrpc' }

/** Longer texts would outgrow a URL; their bounds are tested by what is bounded alike. */
const longestText = 8_001

/** Inputs of an operation that break one rule each, checked against its schema. */
export function invalidCases(operation: Operation): InvalidCase[] {
  const places = placesIn({ at: [], schema: operation.input, example: operation.example.input })
  const cases = places.flatMap((place) => candidatesAt(place).map((candidate) => caseOf(operation, place, candidate)))
  return cases.filter((one) => one.protocols.length > 0 && isRefused(operation, one))
}

/** The places of an example, itself first, and of optional fields that it leaves out. */
function placesIn(place: Place): Place[] {
  const { inner } = unwrap(place.schema)
  const def = defOf(inner)
  const below = (key: string | number, schema: Schema, example: unknown) =>
    placesIn({ at: [...place.at, key], schema, example })
  if (place.example === undefined || metaOf(inner).proto !== undefined) return [place]
  if (def.type === 'object') {
    const example = place.example as Record<string, unknown>
    return [place, ...Object.entries(def.shape).flatMap(([key, field]) => below(key, field, example[key]))]
  }
  const [first] = def.type === 'array' && Array.isArray(place.example) ? place.example : []
  return def.type === 'array' && first !== undefined ? [place, ...below(0, def.element, first)] : [place]
}

function candidatesAt(place: Place): Candidate[] {
  const { inner, optional } = unwrap(place.schema)
  const last = place.at.at(-1)
  const missing: Candidate[] =
    typeof last === 'string' && !optional
      ? [{ name: 'missing', to: undefined, says: isList(inner) ? 'noGrpc' : 'anything' }]
      : []
  const type: Candidate[] = place.at.length === 0 ? [] : wrongType(inner)
  const stranger: Candidate[] =
    isStrict(inner) && place.example !== undefined
      ? [{ name: 'unknown field', at: [...place.at, 'no_such_field'], to: '1', says: 'noGrpc' }]
      : []
  return [...missing, ...type, ...wrongValues(place, inner), ...stranger]
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

/** Values of the right type that are out of bounds; a moment is no text in protobuf, so its text cannot be wrong there. */
function wrongValues(place: Place, schema: Schema): Candidate[] {
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
  const [item] = Array.isArray(place.example) ? place.example : []
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

function caseOf({ http }: Operation, place: Place, { name, to, at = place.at, says }: Candidate): InvalidCase {
  const path = at.join('.')
  const [field] = at
  const inPath = http?.path.includes(`{${field}}`) === true
  const asText =
    http !== undefined && (http.method === 'GET' || http.method === 'DELETE' || http.body === 'form' || inPath)
  // An address with a part missing or empty is another address.
  const restCan = http !== undefined && !(asText && says === 'json') && !(inPath && (to === undefined || to === ''))
  const protocols = (['rest', 'trpc', 'grpc'] as const).filter(
    (protocol) => (protocol !== 'rest' || restCan) && (says === 'anything' || !jsonOnly.includes(protocol)),
  )
  return { name: `${path}: ${name}`, at, to, path, protocols }
}

/** True where validation refuses the changed example and names the place. */
function isRefused({ input, example }: Operation, { at, to, path }: InvalidCase): boolean {
  if (outOfBounds(changed(example.input, at, to))?.path === path) return true
  const issues = input.safeParse(changed(example.input, at, to)).error?.issues ?? []
  return issues.some((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : []
    return [issue.path, ...keys.map((key) => [...issue.path, key])].some((found) => found.join('.') === path)
  })
}

/** A copy with another value at a place; undefined takes it away. */
export function changed(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? changed(item, rest, to) : item))
  const { [key]: before, ...others } = (value ?? {}) as Record<string, unknown>
  const after = changed(before, rest, to)
  return after === undefined ? others : { ...others, [key]: after }
}
