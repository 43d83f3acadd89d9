import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitHistory, inTurns, tokensOf } from './fit-history.ts'

const message = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: fc.string() })
const histories = fc.array(message, { maxLength: 40 })
const budgets = fc.nat(400)

function cost(messages: readonly { content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + tokensOf(content) + 4, 0)
}

test('what is kept fits, and is the newest there is, whole and in order', () => {
  fc.assert(
    fc.property(histories, budgets, (history, tokens) => {
      const kept = fitHistory(history, tokens)
      expect(cost(kept)).toBeLessThanOrEqual(tokens)
      expect(kept).toEqual(history.slice(history.length - kept.length))
    }),
  )
})

test('the newest that is left out would not have fitted', () => {
  fc.assert(
    fc.property(histories, budgets, (history, tokens) => {
      const kept = fitHistory(history, tokens)
      const next = history.slice(history.length - kept.length - 1)
      if (kept.length < history.length) expect(cost(next)).toBeGreaterThan(tokens)
    }),
  )
})

test('more room never keeps less', () => {
  fc.assert(
    fc.property(histories, budgets, fc.nat(100), (history, tokens, more) => {
      expect(fitHistory(history, tokens + more).length).toBeGreaterThanOrEqual(fitHistory(history, tokens).length)
    }),
  )
})

test('a text is never estimated at less than a token for three bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(tokensOf(text) * 3).toBeGreaterThanOrEqual(Buffer.byteLength(text))
    }),
  )
  expect(tokensOf('')).toBe(0)
})

test('turns alternate from the caller on, and hold every word since the first of the caller', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const turns = inTurns(history)
      expect(turns.map(({ role }) => role)).toEqual(turns.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')))
      const first = history.findIndex(({ role }) => role === 'user')
      const said = first < 0 ? [] : history.slice(first).map(({ content }) => content)
      expect(turns.map(({ content }) => content).join('\n\n')).toBe(said.join('\n\n'))
    }),
  )
})
