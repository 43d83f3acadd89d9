import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sentences } from '../../../../generated/intent/sentences.ts'
import { linesOf } from '../../../../test/questions/lines.ts'
import { vocabulary as few } from '../fixtures/reading.ts'
import { readMentions } from '../reading/mentions.ts'
import { wordsOf } from '../reading/words.ts'
import { readQuestion } from './read-question.ts'
import { questions } from './rules.ts'
import { languages } from './word-list.ts'

const vocabulary = { ...few, symbols: new Set('ETH WETH USDC WBTC RUG DAI LINK'.split(' ')) }
const now = new Date('2026-11-29T12:00:00Z')

function read(text: string) {
  const words = wordsOf(text)
  return readQuestion(words, readMentions(words, vocabulary), vocabulary, now)
}

/** Kinds that another one answers too, by what is asked. */
const answeredBy: Readonly<Record<string, readonly string[]>> = {
  tvl: ['research'],
  balance: ['worth', 'price'],
  worth: ['balance', 'token_worth'],
  limits: ['tokens'],
  trade_status: ['waiting'],
}

function measured(set: 'development' | 'wordings', language: string) {
  const own = linesOf(set).map((line) => line.split(' | '))
  return own.flatMap(([of, kind = '', text = '']) => {
    const { question } = read(text)
    const asked = kind.replace('~', '')
    return of === language ? [{ text, asked, question, isRight: question === asked }] : []
  })
}

describe.each(languages)('%s', (language) => {
  test.each([
    ['development', 0.93],
    ['wordings', 0.8],
  ] as const)('reads the questions of the set %s, and takes none for another', (set, least) => {
    const found = measured(set, language)
    const isAnswered = (one: (typeof found)[number]) =>
      one.isRight || answeredBy[one.asked]?.includes(one.question ?? '') === true
    expect(found.filter(isAnswered).length / found.length).toBeGreaterThanOrEqual(least)
    expect(found.filter((one) => one.question !== null && !isAnswered(one))).toEqual([])
  })

  test('reads each example as its kind, in its language', () => {
    for (const question of questions) {
      const own: Record<string, string> = sentences[language]
      const example = own[`example.${question}`]
      if (example !== undefined)
        expect([example, read(example).question, read(example).language]).toEqual([example, question, language])
    }
  })
})

test('leaves what it cannot read whole', () => {
  for (const text of linesOf('others')) {
    const { question, unknown, tokens } = read(text)
    // A name that means nothing is refused by its answer.
    const isNamed = unknown.length === 1 || tokens.some((token) => !vocabulary.symbols.has(token))
    expect([text, question === null || isNamed]).toEqual([text, true])
  }
})

test.each([
  ['how much usdc do i have in euros', 'EUR'],
  ['price of eth in pounds', 'GBP'],
  ['Wie viel ist mein Depot in Franken wert?', 'CHF'],
])('%s names another currency', (text, currency) => {
  expect(read(text)).toMatchObject({ currency, unknown: [] })
})

test.each([
  ['profit since 1 March', '2026-03-01', null],
  ['profit since March 1st 2025', '2025-03-01', null],
  ['profit since the 1st of December', '2025-12-01', null],
  ['Gewinn seit dem 1. März', '2026-03-01', null],
  ['ganancias desde el 1 de marzo', '2026-03-01', null],
  ['profitti dal 1 marzo', '2026-03-01', null],
  ['trades on 2026-03-14', '2026-03-14', '2026-03-15'],
  ['meus trades de ontem', '2026-11-28', '2026-11-29'],
  ['mes gains cette semaine', '2026-11-23', null],
  ['profit since 31 February', undefined, undefined],
])('%s names its time', (text, since, until) => {
  const { period } = read(text)
  const dayOf = (at: Date | null | undefined) => (at == null ? at : at.toISOString().slice(0, 10))
  expect([dayOf(period?.since), period === null ? undefined : dayOf(period.until)]).toEqual([since, until])
})

test('says how it read a misspelt word, and reads no other word for it', () => {
  expect(read('show me my balnce of DAI')).toMatchObject({ question: 'balance', corrected: [['balnce', 'balance']] })
  expect(read('price of etherum')).toMatchObject({ question: 'price', tokens: ['ETH'] })
  expect(read('quote 1 WETH').corrected).toEqual([])
})

test('a text of any length and any words is read in time', () => {
  const long = readFileSync(new URL(import.meta.url), 'utf8')
  expect(read(`${long} `.repeat(4)).question).toBeNull()
  expect(read('how much '.repeat(2_000)).question).toBeNull()
})
