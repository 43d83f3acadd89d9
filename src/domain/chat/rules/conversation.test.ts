import { expect, test } from 'vitest'
import { vocabulary } from '../../intent/fixtures/reading.ts'
import type { Message } from '../../ports/conversations.ts'
import { readConversation } from './conversation.ts'

const now = new Date('2026-03-14T12:00:00Z')

/** What the last of several messages asks; every second one is an answer. */
function asked(...said: string[]) {
  const history = said.map((content, at): Message => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))
  return readConversation(history.slice(0, -1), said.at(-1) ?? '', vocabulary, now)
}

test.each([
  ['is shiba a scam?', 'shiba'],
  ['is UNKNOWNTOKEN safe?', 'UNKNOWNTOKEN'],
  ['risk of 0x1234', '0x1234'],
  ['is moon safe?', 'moon'],
  ['is it safe to buy shiba?', 'shiba'],
  ['how risky is the shiba token?', 'shiba'],
])('%s is not asked about the token before', (text, unknown) => {
  expect(asked('is WETH safe?', 'The risk of WETH is low.', text)).toMatchObject({
    ...{ topic: 'risk', unknown, slots: { tokens: [] } },
  })
})

test.each([
  'is it safe?',
  'is that a scam?',
  'what is the risk?',
  'how risky is it?',
  'is this really safe?',
  'check this contract',
])('%s is asked about the token before', (text) => {
  expect(asked('price of WETH', 'WETH is 2000 USD.', text)).toMatchObject({
    ...{ topic: 'risk', unknown: null, slots: { tokens: ['WETH'] } },
  })
})

test('what is sold under a name that is not known is not the token before', () => {
  const { slots } = asked('swap 1 WETH to USDC', 'gives about 2000 USDC', 'sell 5 shiba')
  expect(slots).toMatchObject({ token_in: null })
})

test('a swap of which nothing is open takes nothing from the one before', () => {
  const first = 'swap 1 WETH to USDC on arbitrum'
  const { slots } = asked(first, 'That did not work.', 'swap 1 WETH to USDC on uniswap v2')
  expect(slots).toMatchObject({ chain: null, amount: '1', token_in: 'WETH', token_out: 'USDC' })
})

test('a chain that was refused is not taken on, another is', () => {
  const first = 'swap 1 WETH to USDC on arbitrum'
  const refusal = 'That did not work: no chain of this name is connected; the chains are 84532 (sandbox)'
  expect(asked(first, refusal, 'and for 2 WETH?').slots).toMatchObject({ chain: null, amount: '2', token_out: 'USDC' })
  expect(asked(first, 'It gives about 1 USDC', 'and for 2 WETH?').slots).toMatchObject({ chain: 'arbitrum' })
})

test.each([
  ['and from vault?', 'vault'],
  ['from my savings wallet', 'savings'],
])('%s changes the wallet alone', (text, wallet) => {
  const { topic, slots } = asked('quote 1 WETH to USDC', 'gives about 2000 USDC', text)
  expect({ topic, slots }).toMatchObject({ topic: 'swap', slots: { wallet, amount: '1', token_out: 'USDC' } })
})
