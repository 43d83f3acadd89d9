import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { now, vocabulary } from '../../src/domain/intent/fixtures/reading.ts'
import { routeIntent } from '../../src/domain/intent/route-intent.ts'
import { seeded } from '../seeded.ts'
import { isLong, seed, sized } from '../sized.ts'
import { languages, type Meaning, paraphrase } from './paraphrases.ts'

/** What the chat would quote for a text; null where it asks first. */
function read(text: string): Meaning | null {
  const { slots, doubt, refusal } = routeIntent(text, vocabulary, now)
  const { token_in: sold, token_out: bought, share, amount_of, amount_currency } = slots
  const amount = slots.amount ?? share
  if (doubt !== null || refusal !== null || sold === null || bought === null || amount === null) return null
  return { sold, bought, amount, side: amount_of === 'token_in' ? 'sold' : 'bought', worth: amount_currency === 'usd' }
}

test('nothing is offered for what is forbidden, conditional, unclear, taken back or of an amount that nobody knows', () => {
  const texts = readFileSync(new URL('no-offer.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  expect(texts.length).toBeGreaterThan(100)
  for (const text of texts)
    for (const spelt of [text, text.normalize('NFD'), text.toUpperCase(), `${text}!`, `please: ${text}`])
      expect([spelt, read(spelt)]).toEqual([spelt, null])
})

const seeds = [...(isLong ? [20_261, 7] : []), seed]
const count = sized(500, 5_000)

test.each(seeds)(`of ${count} paraphrases of seed %i none is read otherwise than it is meant`, (seed) => {
  const random = seeded(seed)
  const asked = Object.fromEntries(languages.map((language) => [language, { of: 0, back: 0 }]))
  for (let made = 0; made < count; made += 1) {
    const { text, language, meaning } = paraphrase(random)
    const found = read(text)
    const tally = asked[language] ?? { of: 0, back: 0 }
    tally.of += 1
    if (found === null) tally.back += 1
    else expect({ text, ...found }).toEqual({ text, ...meaning })
  }
  for (const [language, { of, back }] of Object.entries(asked))
    expect([language, back / of < sized(0.3, 0.15)]).toEqual([language, true])
})

test.each([
  ['500 USDC for ETH', 'Do you want to sell 500 USDC, or to buy 500 USDC?'],
  ['quote usdc weth', 'Do you want to sell USDC for WETH, or WETH for USDC?'],
  ['cambia 1.500 USDC a WETH', 'Do you mean 1.500 or 1500? Write it without a separator of thousands.'],
  [
    'swap 2 ETH for 500 USDC',
    'How much? Name one amount and the token that it counts, for example "sell 1 WETH for USDC".',
  ],
  ['sell ETH, WETH and USDC', 'Which token do you want to sell, and which one to buy?'],
])('%s is asked back: %s', (text, question) => {
  expect(routeIntent(text, vocabulary, now).doubt?.question).toBe(question)
})

test.each([
  ['set a stop loss at 2500 for my eth', 'stop_loss'],
  ['sell 1 eth at 4000 for usdc', 'limit'],
  ['once eth drops under 2500 grab 1k usdc worth of eth', 'condition'],
  ['verkaufe 2 ETH für USDC, sobald der Kurs auf 4000 steigt', 'condition'],
  ['buy 50 usdc of eth every monday', 'schedule'],
  ['compra 50 USDC de ETH cada semana', 'schedule'],
  ['swap 2 eth to usdc and bridge it to arbitrum', 'bridge'],
  ['no vendas 2 ETH por USDC', 'forbidden'],
  ['Verkaufe bitte nicht 2 ETH für USDC', 'forbidden'],
])('%s is refused as %s', (text, refusal) => {
  expect(routeIntent(text, vocabulary, now).refusal).toBe(refusal)
})
