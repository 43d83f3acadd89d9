import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bounds } from '../contract/shared/limits.ts'
import { readJson } from './json-text.ts'

test.each([
  ['{"a":1,"a":2}', { a: 2 }, ['a']],
  ['{"a":1,"a":1}', { a: 1 }, ['a']],
  ['{"a":1,"\\u0061":2,"a":3}', { a: 3 }, ['a']],
  [
    '{"input":{"amount":"1","amount":"2"},"input":{"amount":"3"}}',
    { input: { amount: '3' } },
    ['input.amount', 'input'],
  ],
  ['{"list":[{"a":1},{"a":1,"b":2,"b":3}]}', { list: [{ a: 1 }, { a: 1, b: 3 }] }, ['list.1.b']],
  ['[{"a":1},{"a":1}]', [{ a: 1 }, { a: 1 }], []],
  ['{"a":{"a":{"a":1}},"A":2}', { a: { a: { a: 1 } }, A: 2 }, []],
  ['{"":1,"":2}', { '': 2 }, ['']],
  ['{"toString":1,"constructor":2}', { toString: 1, constructor: 2 }, []],
  ['1', 1, []],
])('%s', (text, value, repeated) => {
  expect(readJson(text)).toEqual({ value, repeated })
})

test('a key called __proto__ is a field, and may come once', () => {
  const { value, repeated } = readJson('{"__proto__":{"a":1},"__proto__":{"a":2}}')
  expect([Object.getPrototypeOf(value), Object.keys(value as object), repeated]).toEqual([
    Object.prototype,
    ['__proto__'],
    ['__proto__'],
  ])
})

test('lists no more than a refusal does', () => {
  const text = `{${Array.from({ length: 200 }, (_, index) => `"k${index}":1,"k${index}":2`).join(',')}}`
  expect(readJson(text).repeated).toHaveLength(bounds.violationsListed)
})

test.each([
  ['more values than any input may have', `[${'0,'.repeat(bounds.jsonValues + 1)}0]`],
  ['more levels than the stack has', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
])('refuses %s', (_, text) => {
  expect(() => readJson(text)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
})

test('the paths of what is repeated are made no more often than a refusal lists them, and are bounded', () => {
  const name = 'k'.repeat(500_000)
  const { repeated } = readJson(`{"${name}":{"a":1${',"a":1'.repeat(19_000)}}}`)
  expect(repeated).toEqual([`${name.slice(0, 200)}.a`])
})

test('takes only what counts into the list', () => {
  const padding = Array.from({ length: 30 }, (_, index) => `"k${index}":1,"k${index}":2`).join(',')
  const text = `{"0":{${padding}},"1":{"a":1,"a":2}}`
  expect(readJson(text, (key) => key === '1').repeated).toEqual(['1.a'])
})

/** What a text is, by JSON.parse: its value, or that it is none. */
function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return { value: parse(text) }
  } catch (error) {
    return (error as Error).name
  }
}

const json = fc.json({ maxDepth: 5, stringUnit: 'binary' }) as fc.Arbitrary<string>
const pieces = [
  ...'{}[]:,"\\ \t\n\r/*-+.eE0129',
  ...[
    'null',
    'true',
    'false',
    'NaN',
    '//',
    '/*',
    '*/',
    '\\u00',
    '\\x',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u00a0',
    '\u2028',
  ],
  ...['\ufeff', '\ud800', '01', '1.', '.5', '-0', '1e999', '-', "'", '\v', '\f', 'é', '\u{1f600}'],
]
const broken = fc
  .tuple(json, fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...pieces), fc.nat(3)), { minLength: 1, maxLength: 3 }))
  .map(([text, changes]) =>
    changes.reduce((before, [at, piece, cut]) => before.slice(0, at) + piece + before.slice(at + cut), text),
  )
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))

test.each([
  ['JSON', json],
  ['JSON with changes', broken],
  ['pieces of JSON', soup],
])('reads and refuses what JSON.parse does: %s', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(parsed(text, (read) => readJson(read).value)).toEqual(parsed(text, JSON.parse))
    }),
    { numRuns: 2_000 },
  )
})
