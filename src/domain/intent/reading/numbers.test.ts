import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalText } from '../../values/decimals.ts'
import { readNumber } from './numbers.ts'
import { wordsOf } from './words.ts'

/** Every number of a text in order; null for an ambiguous one. */
function numbersIn(text: string): (string | null)[] {
  const words = wordsOf(text)
  const found: (string | null)[] = []
  for (let at = 0; at < words.length; at += 1) {
    const number = readNumber(words, at)
    if (number === null) continue
    found.push(number.value === null ? null : decimalText(number.value))
    at = number.next - 1
  }
  return found
}

test.each([
  ['1/2', '0.5'],
  ['1/2 of an', '0.5'],
  ['1 1/2', '1.5'],
  ['1/2 million', '500000'],
  ['0,5', '0.5'],
  ['1,50', '1.5'],
  ['12,5', '12.5'],
  ['1,2345', '1.2345'],
  ['1,000', '1000'],
  ['1.000,50', '1000.5'],
  ['5e-1', '0.5'],
  ['1e3', '1000'],
  ['1_000', '1000'],
  ["1'000", '1000'],
  ['1 000', '1000'],
  ['10 000', '10000'],
  ['10 000 000,5', '10000000.5'],
  ['2.', '2'],
])('%s is %s', (text, value) => expect(numbersIn(text)).toEqual([value]))

test.each([
  ...['1 2/3', '1/3', '3/2', '1/2/3', '1 / 2', '0.5.1', '1.500', '1.2.3', '1..2', '1000,500', '1,000,5', ',5', 'e.5'],
  ...[
    '-5',
    'minus 5',
    'negative 5',
    '1½',
    '½',
    '5e5e5',
    '1+2',
    '5_',
    '1 2 3',
    'between 1 and 2',
    'between 1 weth and 2 weth',
  ],
  ...['1-2', '1 - 2', '1 to 2', 'one or two', '9'.repeat(37), '1e99'],
])('how much %s is does not stand there', (text) => expect(numbersIn(text)).toEqual([null]))

test('a number is read whole or not at all', () => {
  const pieces = fc.array(fc.constantFrom(...'01235.,_e/-', '000'), { minLength: 1, maxLength: 8 })
  const readings = (text: string): number[] => {
    const [whole = '', over] = text.replace(/[.,]+$/, '').split('/')
    const points = [whole.replaceAll(/[,_]/g, ''), whole.replaceAll(/[._]/g, '').replace(',', '.')]
    return points.map((digits) => Number(digits) / Number(over ?? 1))
  }
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      for (const read of numbersIn(text).filter((number) => number !== null)) {
        const near = readings(text).filter((value) => Math.abs(value - Number(read)) <= 1e-9 * value)
        expect(near, `${text} was read as ${read}`).not.toEqual([])
      }
    }),
    { numRuns: 2_000 },
  )
})
