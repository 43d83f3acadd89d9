import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerOf, fitting, wholeOrPart } from './answer.ts'

/** Texts that are long when they are escaped, or have characters of several units. */
const texts = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', 'ü', '\u2028', '😀'),
  size: 'max',
  maxLength: 40_000,
})
const values = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 5 }), texts, { maxKeys: 4 }),
  fc.array(fc.record({ text: texts.map((text) => text.slice(0, 900)) }), { maxLength: 60 }),
  fc.array(fc.record({ text: texts }), { maxLength: 3 }),
)

/** What an answer has on the wire: its value, and its text as a JSON string. */
const bytesOf = (value: Record<string, unknown>) =>
  answerOf(value, true).content.reduce((sum, { text }) => sum + Buffer.byteLength(JSON.stringify(text)), 0) +
  Buffer.byteLength(JSON.stringify(value))

test('the parts of any value are the whole together, and each is at most 25 kB', () => {
  fc.assert(
    fc.property(values, (value) => {
      let cursor: string | undefined
      let text = ''
      const items: unknown[] = []
      do {
        const answer = wholeOrPart(value, cursor)
        expect(bytesOf(answer)).toBeLessThanOrEqual(25_000)
        if ('part' in answer) text += answer.part
        else if (Array.isArray(answer.result)) items.push(...answer.result)
        else text = JSON.stringify(answer.result)
        cursor = answer.next_cursor as string | undefined
      } while (cursor !== undefined)
      expect(text === '' ? items : JSON.parse(text)).toEqual(value)
    }),
    { numRuns: 60 },
  )
})

test('a list goes on where it was cut, and never stands still', () => {
  const items = Array.from({ length: 50 }, (_, index) => ({ index, text: '"'.repeat(1_000) }))
  const shown: unknown[] = []
  for (let skip = 0; skip < items.length; ) {
    const page = fitting(items, skip)
    expect(page.until).toBeGreaterThan(skip)
    shown.push(...page.shown)
    skip = page.until
  }
  expect(shown).toEqual(items)
  expect(fitting([{ text: 'x'.repeat(30_000) }], 0).until).toBe(1)
})

test('a cursor of another value is refused', () => {
  const { next_cursor: cursor } = wholeOrPart({ text: 'x'.repeat(30_000) }, undefined)
  expect(() => wholeOrPart({ text: 'y'.repeat(30_000) }, cursor as string)).toThrow(/of another call/)
})
