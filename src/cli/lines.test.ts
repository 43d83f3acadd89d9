import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const linesIn = async (text: string, chunk: number, most: number) =>
  await Array.fromAsync(linesOf(inChunks(new TextEncoder().encode(text), chunk), most))

test('lines are split at line feeds alone, however the bytes arrive', async () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', 'ü', '😀') }))
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (parts, chunk) => {
      const text = parts.join('')
      const expected = text.split('\n')
      if (expected.at(-1) === '') expected.pop()
      expect(await linesIn(text, chunk, 1_000)).toEqual(expected)
    }),
  )
})

test('a line that is too long is null, and the next one is read', async () => {
  expect(await linesIn(`${'x'.repeat(50)}\nshort\n${'y'.repeat(50)}`, 7, 10)).toEqual([null, 'short', null])
})
