import fc, { type Arbitrary } from 'fast-check'
import { changed } from '../../scripts/generate/invalid-cases.ts'
import { defOf, type Schema, unwrap } from '../../scripts/generate/schema.ts'
import { character } from './arbitrary.ts'

type At = (string | number)[]

/** A way to change a value; an absent one becomes a text. */
type Slip = (present: unknown) => unknown

/** Valid values that are changed or removed at one to three paths, or have an additional field. */
export function spoiledOf(schema: Schema, valid: Arbitrary<unknown>): Arbitrary<Record<string, unknown>> {
  // Values of the right type can be sent over every protocol.
  const slip = fc.oneof({ weight: 5, arbitrary: near }, { weight: 2, arbitrary: hostile }, wrapped, further)
  const spoil = fc.tuple(fc.nat(), slip)
  const spoils = fc.oneof(
    { weight: 3, arbitrary: fc.array(spoil, { minLength: 1, maxLength: 1 }) },
    fc.array(spoil, { minLength: 2, maxLength: 3 }),
  )
  return fc.tuple(valid, spoils).map(([value, spoils]) =>
    spoils.reduce<Record<string, unknown>>(
      (spoiled, [place, slip]) => {
        const places = placesOf(schema, spoiled, [])
        const at = places[place % places.length] ?? []
        return withSlip(spoiled, at, slip)
      },
      value as Record<string, unknown>,
    ),
  )
}

function withSlip(value: Record<string, unknown>, at: At, slip: Slip): Record<string, unknown> {
  const present = at.reduce<unknown>(
    (part, key) => (Object.hasOwn(part ?? {}, key) ? (part as Record<string, unknown>)[key] : undefined),
    value,
  )
  return changed(value, at, slip(present)) as Record<string, unknown>
}

/** Every path: existing values, and absent fields of the schema. */
function placesOf(schema: Schema | undefined, value: unknown, at: At): At[] {
  const def = schema === undefined ? undefined : defOf(unwrap(schema).inner)
  const here = at.length === 0 ? [] : [at]
  if (typeof value !== 'object' || value === null) return here
  const known = def?.type === 'object' ? def.shape : {}
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys({ ...known, ...value })
  const partOf = (key: string | number) =>
    def?.type === 'array' ? def.element : Object.hasOwn(known, key) ? known[key] : undefined
  return [
    ...here,
    ...keys.flatMap((key) => placesOf(partOf(key), (value as Record<string, unknown>)[key], [...at, key])),
    ...(Array.isArray(value) ? [] : [[...at, strangers[keys.length % strangers.length] ?? '']]),
  ]
}

/** Unknown field names, some of which every object inherits. */
const strangers = ['no_such_field', '__proto__', 'constructor']

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)]
}

/** Values that have caused errors in parsers, stores or checks. */
const hostile: Arbitrary<Slip> = fc
  .constantFrom<unknown>(
    ...[undefined, null, true, false, 0, -0, 1, -1, 0.1, 1e21, -1e21, 1e-7, 2 ** 31, 2 ** 53, 1e308, 5e-324],
    ...[
      '',
      ' ',
      'null',
      'true',
      '0',
      '-0',
      '00',
      '1e3',
      '0x',
      '0X1',
      '0x00',
      '١',
      'NaN',
      '.',
      '..',
      '../x',
      'a/b',
      '%00',
    ],
    ...['a\0b', '\ud800', '\udfff x', '\ufeff', '\u202e', '\r\n', '\u{1f600}', '__proto__', 'x'.repeat(201)],
    ...['x'.repeat(8_001), '9'.repeat(400), '2026-02-30T00:00:00Z', '2026-01-01', '+010000-01-01T00:00:00.000Z'],
    ...[[], [[]], [null], {}, { a: 1 }, { toString: 1 }, nested(17), Array.from({ length: 1_001 }, () => '0x')],
  )
  .map((value) => () => value)

/** Another value of the same type. */
const near: Arbitrary<Slip> = fc.nat().map((way) => (present) => {
  if (typeof present === 'number') return numbers[way % numbers.length]?.(present)
  if (Array.isArray(present) && present.length > 0) return Array.from({ length: 101 }, () => present[0])
  return texts[way % texts.length]?.(text(present))
})

const texts: readonly ((present: string) => string)[] = [
  (present) => `${present} `,
  (present) => ` ${present}`,
  (present) => `${present}\n`,
  (present) => `${present}\0`,
  (present) => present.slice(0, -1),
  (present) => present.repeat(2),
  (present) => `${present}\u{1f600}`,
  (present) => present.toUpperCase(),
  (present) => present.replace('0', 'o'),
  (present) => present.padEnd(201, 'x'),
  () => '',
]

const numbers: readonly ((present: number) => number)[] = [
  (present) => present + 0.5,
  (present) => -present - 1,
  (present) => present + 2_000_000_000,
  () => 0,
]

/** The value wrapped in another one. */
const wrapped: Arbitrary<Slip> = fc.constantFrom<Slip>(
  (present) => [present, present],
  (present) => ({ value: present }),
  (present) => text(present),
)

const further: Arbitrary<Slip> = fc
  .oneof(fc.string({ unit: character }), fc.double(), fc.jsonValue())
  .map((value) => () => value)

function text(present: unknown): string {
  return typeof present === 'string' ? present : (JSON.stringify(present) ?? 'x')
}
