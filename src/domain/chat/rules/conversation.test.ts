import { expect, test } from 'vitest'
import { vocabulary } from '../../intent/fixtures/reading.ts'
import type { HistoryMessage } from '../../ports/conversations.ts'
import { type ConversationState, readConversation, stateOf, type UserRequest, withoutChain } from './conversation.ts'

const now = new Date('2026-03-14T12:00:00Z')

type Answer = Partial<ConversationState> | 'without facts'

/** Reads the last of several messages in its context. Each earlier one is followed by its answer. */
function read(...turns: [...(readonly [text: string, answer?: Answer])[], readonly [text: string]]): UserRequest {
  const history: HistoryMessage[] = []
  for (const [text, answer = {}] of turns.slice(0, -1)) {
    const request = readConversation(history, text, vocabulary, now)
    const facts =
      answer === 'without facts'
        ? {}
        : { facts: { quoteIds: [], state: stateOf({ request, quoted: null, ...answer }) } }
    history.push({ role: 'user', content: text }, { role: 'assistant', content: 'The answer.', ...facts })
  }
  return readConversation(history, turns.at(-1)?.[0] ?? '', vocabulary, now)
}

test.each([
  ['is shiba a scam?', 'shiba'],
  ['is UNKNOWNTOKEN safe?', 'UNKNOWNTOKEN'],
  ['risk of 0x1234', '0x1234'],
  ['is moon safe?', 'moon'],
  ['is it safe to buy shiba?', 'shiba'],
  ['how risky is the shiba token?', 'shiba'],
])('"%s" is not about the token before', (text, unknown) => {
  expect(read(['is WETH safe?'], [text])).toMatchObject({ topic: 'risk', unknown, slots: { tokens: [] } })
})

test.each([
  'is it safe?',
  'is that a scam?',
  'what is the risk?',
  'how risky is it?',
  'is this really safe?',
  'check this contract',
])('"%s" is about the token before', (text) => {
  expect(read(['price of WETH'], [text])).toMatchObject({ topic: 'risk', unknown: null, slots: { tokens: ['WETH'] } })
})

test('an unknown name to sell is not the token before', () => {
  expect(read(['swap 1 WETH to USDC'], ['sell 5 shiba']).slots).toMatchObject({ token_in: null })
})

test('a complete swap takes nothing from the one before', () => {
  const { slots } = read(['swap 1 WETH to USDC on arbitrum'], ['swap 1 WETH to USDC on uniswap v2'])
  expect(slots).toMatchObject({ chain: null, amount: '1', token_in: 'WETH', token_out: 'USDC' })
})

test('a follow-up takes the chain before, but not one that is not connected', () => {
  const first = 'swap 1 WETH to USDC on arbitrum'
  const refused = { request: withoutChain(read([first])) }
  expect(read([first, refused], ['and for 2 WETH?']).slots).toMatchObject({
    chain: null,
    chains: [],
    amount: '2',
    token_out: 'USDC',
  })
  expect(read([first], ['and for 2 WETH?']).slots).toMatchObject({ chain: 'arbitrum' })
})

test('a reversed swap sells what the quote of the last answer would return, where it quoted this token', () => {
  const first = 'swap 1 WETH to USDC'
  const back = { token_in: 'USDC', token_out: 'WETH', amount_of: 'token_in', amount_currency: 'token_units' }
  const quoted = { token: 'USDC', amount: '2000.5' }
  expect(read([first, { quoted }], ['and the other way round?'])).toMatchObject({
    topic: 'swap',
    slots: { ...back, amount: '2000.5' },
  })
  expect(read([first, { quoted: { ...quoted, token: 'WBTC' } }], ['reverse']).slots).toMatchObject({
    ...back,
    amount: null,
  })
  expect(read([first], ['reverse']).slots).toMatchObject({ ...back, amount: null })
})

test('an answer of another format or without facts is read from the messages of the caller', () => {
  expect(read(['swap 1 WETH to USDC on arbitrum', 'without facts'], ['and for 2 WETH?']).slots).toMatchObject({
    chain: 'arbitrum',
    amount: '2',
    token_out: 'USDC',
  })
  const foreign = { quoteIds: [], state: { format: 'another/1', data: { request: null } } }
  const history: HistoryMessage[] = [
    { role: 'user', content: 'swap 1 WETH to USDC' },
    { role: 'assistant', content: 'It gives about 2000 USDC.', facts: foreign },
  ]
  expect(readConversation(history, 'reverse', vocabulary, now).slots).toMatchObject({
    token_in: 'USDC',
    token_out: 'WETH',
    amount: null,
  })
})

test.each([
  ['and from vault?', 'vault'],
  ['from my savings wallet', 'savings'],
])('"%s" changes the wallet alone', (text, wallet) => {
  const { topic, slots } = read(['quote 1 WETH to USDC'], [text])
  expect({ topic, slots }).toMatchObject({ topic: 'swap', slots: { wallet, amount: '1', token_out: 'USDC' } })
})
