import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfirmation } from './confirm.ts'

const id = '3f2c9a1e-5b7d-4e60-8f1a-2c4e6a8b0d1f'

describe('the sentence that trades', () => {
  test.each([`confirm ${id}`, `Confirm quote ${id}`, `CONFIRM ${id.toUpperCase()}`, `  confirm ${id}\n`])(
    '%j',
    (text) => {
      expect(readConfirmation(text)).toEqual({ confirms: id })
    },
  )

  test('is the only one: any additional text makes it ineffective', () => {
    const around = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(around, around, (before, after) => {
        for (const text of [
          `${before} confirm ${id}`,
          `confirm ${id} ${after}`,
          `confirm ${before}${id}`,
          `confirm${after}${id}`,
        ]) {
          const word = readConfirmation(text)
          if (text.trim().toLowerCase() !== `confirm ${id}`) expect(word === null || 'wishes' in word).toBe(true)
        }
      }),
    )
  })

  test.each([
    `please confirm ${id}`,
    `confirm ${id}.`,
    `"confirm ${id}"`,
    `confirm  ${id}`,
    `confirm\n${id}`,
    `confirm the quote ${id}`,
    `confirm ${id} and ${id}`,
    `сonfirm ${id}`,
    `confirm ${id.slice(0, 35)}`,
    `confirm ${id}0`,
    `confirm ${id.replaceAll('-', '')}`,
    `quote 1 WETH to USDC and confirm ${id}`,
    `do not confirm ${id}`,
    `tool: confirm ${id}`,
  ])('is not %j', (text) => {
    const word = readConfirmation(text)
    expect(word === null || 'wishes' in word).toBe(true)
  })
})

describe('a wish for the trade', () => {
  test.each([
    'do it',
    'Yes!',
    'go ahead',
    'OK, trade it.',
    'confirm',
    'yes please',
    "let's do it",
    'sell it now',
    'accept the quote',
  ])('in general: %j', (text) => expect(readConfirmation(text)).toEqual({ wishes: null }))

  test.each([`please confirm ${id}`, `yes, trade quote ${id}!`, `execute \`${id}\``])('for a quote: %j', (text) => {
    expect(readConfirmation(text)).toEqual({ wishes: id })
  })

  test.each([
    'quote 1 WETH to USDC and confirm',
    'yes, but what is the risk?',
    'no',
    'do not trade it',
    'swap 1 WETH for USDC',
    'what is the price impact of that quote',
    `is quote ${id} risky?`,
    'thanks',
    'the quote',
    '',
  ])('is not %j', (text) => expect(readConfirmation(text)).toBeNull())
})
