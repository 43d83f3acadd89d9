import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sized } from '../../test/sized.ts'
import { type Located, type Schema, schemaChanges } from './schema-changes.ts'

const closed = { type: 'object', additionalProperties: false }
const a = { type: 'string' }
const ending = { deprecated: true, 'x-deprecated': { since: '0.2.0', on: '2026-12-01', use: 'b' } }

test.each<[string, Schema, Schema, string[]]>([
  ['the same', { type: 'string', maxLength: 3 }, { maxLength: 3, type: 'string' }, []],
  ['other words', { ...a, description: 'x' }, { ...a, description: 'y', examples: ['z'] }, []],
  ['another type', { type: 'string' }, { type: 'boolean' }, ['narrows', 'widens']],
  ['a number for an integer', { type: 'integer' }, { type: 'number' }, ['widens']],
  ['null too', { type: 'string' }, { type: ['string', 'null'] }, ['widens']],
  ['no type any more', { type: 'string' }, {}, ['widens']],
  ['a choice less', { enum: ['x', 'y'] }, { enum: ['x'] }, ['narrows']],
  ['a choice more', { const: 'x' }, { enum: ['x', 'y'] }, ['widens']],
  ['a number for a text that looks like it', { enum: ['1'] }, { enum: [1] }, ['narrows', 'widens']],
  ['a larger most', { maximum: 3 }, { maximum: 4 }, ['widens']],
  ['a larger least', { minLength: 3 }, { minLength: 4 }, ['narrows']],
  ['a bound', {}, { maxItems: 4 }, ['narrows']],
  ['no bound', { minimum: 1 }, {}, ['widens']],
  ['a pattern', {}, { pattern: 'x' }, ['narrows']],
  ['another pattern', { pattern: 'y' }, { pattern: 'x' }, ['moves']],
  ['another default', { default: 1 }, { default: 2 }, ['moves']],
  ['an unknown keyword', {}, { dependentRequired: {} }, ['moves']],
  ['a field to send', { ...closed, properties: {} }, { ...closed, properties: { a } }, ['widens']],
  ['one that is needed', { ...closed, properties: {} }, { ...closed, properties: { a }, required: ['a'] }, ['narrows']],
  ['no such field any more', { ...closed, properties: { a } }, { ...closed, properties: {} }, ['narrows']],
  ['a field in an answer', { properties: {} }, { properties: { a } }, ['narrows']],
  ['one less', { properties: { a } }, { properties: {} }, ['widens']],
  ['one that may be absent', { properties: { a }, required: ['a'] }, { properties: { a } }, ['widens']],
  [
    'one that is required and otherwise undeclared',
    { properties: {} },
    { properties: {}, required: ['a'] },
    ['narrows'],
  ],
  ['one that is no longer required and otherwise undeclared', { required: ['a'] }, {}, ['widens']],
  ['unknown fields refused', { type: 'object' }, closed, ['narrows']],
  ['a list of other things', { items: { maximum: 3 } }, { items: { maximum: 2 } }, ['narrows']],
  ['an alternative more', { anyOf: [a] }, { anyOf: [a, { type: 'null' }] }, ['widens']],
  [
    'an alternative more, and less of the other',
    { anyOf: [{ maxLength: 9 }] },
    { anyOf: [{ maxLength: 3 }, { type: 'null' }] },
    ['narrows', 'widens'],
  ],
  ['rules for the first time', {}, { allOf: [a] }, ['narrows']],
  ['alternatives for the first time', {}, { anyOf: [a, {}] }, ['narrows']],
  ['a rule more', { allOf: [a] }, { allOf: [a, { pattern: 'x' }] }, ['narrows']],
  ['an announced end', a, { ...a, ...ending }, ['deprecates']],
])('%s', (_, schema, other, effects) => {
  const changes = schemaChanges({ schema, components: {} }, { schema: other, components: {} })
  expect(changes.map(({ effect }) => effect)).toEqual(effects)
})

test('keywords next to a reference count too', () => {
  const at = (field: Schema) => ({ schema: { properties: { a: field } }, components: { A: { type: 'string' } } })
  const $ref = '#/components/schemas/A'
  expect(schemaChanges(at({ $ref }), at({ $ref, maxLength: 3 }))).toMatchObject([{ path: 'a', effect: 'narrows' }])
  expect(schemaChanges(at({ $ref }), at({ $ref, ...ending }))).toMatchObject([{ effect: 'deprecates' }])
})

test('references are followed, recursive ones too', () => {
  const tree = (most: number) => ({
    schema: { $ref: '#/components/schemas/Tree' },
    components: {
      Tree: {
        properties: {
          size: { maximum: most },
          left: { $ref: '#/components/schemas/Tree' },
        },
      },
    },
  })
  expect(schemaChanges(tree(3), tree(2))).toEqual([{ path: 'size', text: 'maximum is 2, was 3', effect: 'narrows' }])
})

const least = fc.integer({ min: 0, max: 3 })
const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: least, maxLength: least }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constantFrom('integer', 'number'), minimum: least, maximum: least }, { requiredKeys: ['type'] }),
  fc.record({ enum: fc.subarray(['x', 'y', 'z', '1', 1], { minLength: 1 }) }),
)
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.constantFrom('A', 'B').map((name) => ({ $ref: `#/components/schemas/${name}` })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), minItems: least, maxItems: least },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        required: fc.subarray(['a', 'b']),
        additionalProperties: fc.constant(false),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
}))
const components = fc.record({ A: leaf, B: leaf })
const located = fc.record({ schema, components })
/** The same alternatives or rules, as many as each has of them, of references that may say something else. */
const combined = fc
  .tuple(
    fc.constantFrom('anyOf', 'allOf'),
    fc.array(schema, { minLength: 3, maxLength: 3 }),
    fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), components }), { minLength: 2, maxLength: 2 }),
  )
  .map(([name, list, sides]) => sides.map((side) => ({ ...side, schema: { [name]: list.slice(0, side.count) } })))
const pair = fc.oneof(fc.tuple(located, located), combined) as fc.Arbitrary<[Located, Located]>
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: -1, max: 4 }),
    fc.constantFrom('', 'x', '1', 'yy', 'zzzz', 0.5, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
})).value

test('where nothing narrows, what was valid is valid; where nothing changes, nothing else is', () => {
  const ajv = new Ajv2020({ strict: false })
  const compiled = ({ schema: root, components }: Located) =>
    ajv.compile({ ...root, components: { schemas: components } })
  fc.assert(
    fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([one, other], values) => {
      const effects = schemaChanges(one, other)
      const [before, after] = [compiled(one), compiled(other)]
      if (effects.every(({ effect }) => effect === 'widens'))
        expect(values.filter((sent) => before(sent) && !after(sent))).toEqual([])
      if (effects.length === 0) expect(values.filter((sent) => after(sent) && !before(sent))).toEqual([])
    }),
    { numRuns: sized(100, 500) },
  )
})
