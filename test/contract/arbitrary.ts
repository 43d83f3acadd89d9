import fc, { type Arbitrary } from 'fast-check'
import type { z } from 'zod'
import { boundsOf, defOf, numberFormat, type Schema, textsOf, unwrap } from '../../scripts/generate/schema.ts'

/** Any value that a schema accepts, as JSON can represent it: neither -0 nor half of a surrogate pair. */
export function arbitraryOf(schema: Schema): Arbitrary<unknown> {
  return valuesOf(schema, 0).map((value) => JSON.parse(JSON.stringify(value)))
}

/** True where a schema accepts a value. */
export function accepts(schema: Schema, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success
}

/** Any valid character, more often those with a meaning to some parser. */
export const character: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)) },
  fc.constantFrom(...'\0\t\n\r\u0085\u2028\u202e\ufeff\ufffd%+&=?#/\\"\'<>{}[],:;.~'),
  fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
)

/** The most items of a list, by its depth, because outputs nest deeply. */
const mostItems = [5, 4, 3, 2]

function valuesOf(schema: Schema, depth: number): Arbitrary<unknown> {
  const { inner, nullable } = unwrap(schema)
  const plain = plainValuesOf(inner, depth)
  const ruled = defOf(inner).checks?.length ? plain.filter((value) => accepts(inner, value)) : plain
  return nullable ? fc.option(ruled, { nil: null }) : ruled
}

function plainValuesOf(schema: Schema, depth: number): Arbitrary<unknown> {
  const def = defOf(schema)
  const texts = textsOf(schema)
  if (texts !== null) return fc.constantFrom(...texts)
  const most = mostItems[depth] ?? 1
  switch (def.type) {
    case 'object':
      return objectOf(def.shape, depth)
    case 'array': {
      const { atLeast = 0, atMost = most } = boundsOf(schema)
      const item = valuesOf(def.element, depth + 1)
      return fc.array(item, { minLength: atLeast, maxLength: Math.max(atLeast, Math.min(atMost, most)) })
    }
    case 'record':
      return fc.dictionary(keyOf(def.keyType), valuesOf(def.valueType, depth + 1), {
        maxKeys: most,
        noNullPrototype: true,
      })
    case 'union':
      return fc.oneof(...def.options.map((option) => valuesOf(option, depth)))
    case 'string':
      return textOf(schema).filter((text) => accepts(schema, text))
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'unknown':
      return fc.jsonValue({ maxDepth: 3, stringUnit: character })
    default:
      throw new Error(`Nobody has said what values a schema of type ${def.type} takes.`)
  }
}

function objectOf(shape: z.core.$ZodShape, depth: number): Arbitrary<unknown> {
  const fields = Object.entries(shape)
  const requiredKeys = fields.filter(([, field]) => !unwrap(field).optional).map(([name]) => name)
  const values = Object.fromEntries(fields.map(([name, field]) => [name, valuesOf(field, depth + 1)]))
  return fc.record(values, { requiredKeys, noNullPrototype: true })
}

/** Property names that every object inherits are the ones that get lost. */
function keyOf(schema: Schema): Arbitrary<string> {
  const names = ['__proto__', 'constructor', 'toString', '', 'a.b', '0'].filter((name) => accepts(schema, name))
  const texts = { weight: 6, arbitrary: textOf(schema).filter((text) => accepts(schema, text)) }
  return names.length === 0 ? texts.arbitrary : fc.oneof(texts, fc.constantFrom(...names))
}

function textOf(schema: Schema): Arbitrary<string> {
  const def = defOf(schema)
  const format = 'format' in def ? def.format : undefined
  const known = typeof format === 'string' ? formats[format] : undefined
  if (known !== undefined) return known
  const { atLeast = 0, atMost = 10_000 } = boundsOf(schema)
  const [pattern] = (def.checks ?? []).flatMap(({ _zod: { def } }) => ('pattern' in def ? [def.pattern as RegExp] : []))
  // An unbounded repetition is as long as the text must be.
  if (pattern !== undefined)
    return matching(pattern.source.replace(/[*+]\$$/, `{${atLeast},${atLeast + 20}}$`)).map(
      (text) => (accepts(schema, text) ? text : text.toLowerCase()), // the case of an address is its checksum
    )
  const maxLength = Math.max(atLeast, Math.min(atMost, 40))
  const usual = fc.string({ unit: character, minLength: atLeast, maxLength })
  const longest = fc.constantFrom('x', '\u{1f600}').map((unit) => unit.repeat(atMost / unit.length))
  return atMost === 10_000 ? usual : fc.oneof({ weight: 12, arbitrary: usual }, longest)
}

const patterns = new Map<string, Arbitrary<string>>()

/** Most texts share a few patterns, and parsing each takes time. */
function matching(source: string): Arbitrary<string> {
  const made = patterns.get(source) ?? fc.stringMatching(new RegExp(source))
  patterns.set(source, made)
  return made
}

/** A day away from both limits of protobuf's timestamps, so that offsets stay within them. */
const moments = fc
  .tuple(fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }), fc.nat(3))
  .map(([date, spelling]) => {
    const text = date.toISOString()
    return [text, text.replace(/\.\d+Z/, 'Z'), text.replace('Z', '+05:30'), text.replace('Z', '999Z')][spelling] ?? text
  })

/** Texts of formats that no pattern describes well enough. */
const formats: Readonly<Record<string, Arbitrary<string>>> = {
  email: fc.emailAddress(),
  uuid: fc.tuple(fc.uuid(), fc.boolean()).map(([id, upper]) => (upper ? id.toUpperCase() : id)),
  datetime: moments,
}

function numberOf(schema: Schema): Arbitrary<number> {
  const format = numberFormat(schema)
  const widest = format === 'int32' ? 2_147_483_647 : Number.MAX_SAFE_INTEGER
  const { least = -widest, most = widest } = boundsOf(schema)
  const whole = fc.integer({ min: Math.ceil(least), max: Math.floor(most) })
  if (format === 'int32' || format === 'safeint') return whole
  return fc.oneof(whole, fc.double({ min: least, max: most, noNaN: true }), fc.constantFrom(0, least, most))
}
