import { expect, test } from 'vitest'
import { sentences } from '../../../../generated/intent/sentences.ts'
import { amount, fixed, percent, usd } from './figures.ts'
import { isSentence, say } from './sentences.ts'

const namesIn = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
const { en, ...others } = sentences

test.each(Object.entries(others))('every sentence in %s is one of English, with the same values', (_, own) => {
  for (const [key, sentence] of Object.entries(own)) {
    if (!isSentence(key)) throw new Error(`${key} is no sentence of English`)
    expect([key, namesIn(sentence)]).toEqual([key, namesIn(en[key])])
  }
})

test('a sentence is said with its values, and in English where the language lacks it', () => {
  expect(say('de', 'limits.trade', { wallet: 'savings', usd: '5' })).toBe('Wallet savings: höchstens 5 USD je Trade.')
  expect(say('de', 'term')).toBe(en.term)
})

test.each([
  ['0', '0'],
  ['1498.954321987654321012', '1498.95'],
  ['60000', '60000'],
  ['-0.005', '-0.005'],
  ['0.000000123456', '0.00000012'],
  ['12.999', '13'],
  ['-1234.5', '-1234.50'],
])('%s dollars are shown as %s', (value, shown) => {
  expect(usd(value)).toBe(shown)
})

test.each([
  ['1.000000000000000001', '1'],
  ['0.123456789012', '0.12345679'],
  ['123456789.123', '123456789'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['-2.50', '-2.5'],
])('an amount of %s is shown as %s', (value, shown) => {
  expect(amount(value)).toBe(shown)
})

test('a change has its sign, and nothing changes from nothing', () => {
  expect([percent(fixed('1'), fixed('3')), percent(fixed('-1'), fixed('8')), percent(1n, 0n)]).toEqual([
    '+33.33',
    '-12.50',
    '0',
  ])
})
