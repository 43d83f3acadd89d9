import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitHistory, inTurns, tokensOf } from './fit-history.ts'

const message = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: fc.string() })
const histories = fc.array(message, { maxLength: 40 })
const budgets = fc.nat(400)

function cost(messages: readonly { content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + tokensOf(content) + 4, 0)
}

test('the retained messages fit, and are the newest ones, complete and in order', () => {
  fc.assert(
    fc.property(histories, budgets, (history, tokens) => {
      const retained = fitHistory(history, tokens)
      expect(cost(retained)).toBeLessThanOrEqual(tokens)
      expect(retained).toEqual(history.slice(history.length - retained.length))
    }),
  )
})

test('the newest that is left out would not have fitted', () => {
  fc.assert(
    fc.property(histories, budgets, (history, tokens) => {
      const retained = fitHistory(history, tokens)
      const next = history.slice(history.length - retained.length - 1)
      if (retained.length < history.length) expect(cost(next)).toBeGreaterThan(tokens)
    }),
  )
})

test('more room never retains less', () => {
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

test("roles alternate beginning with the caller, and all text since the caller's first message is included", () => {
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
