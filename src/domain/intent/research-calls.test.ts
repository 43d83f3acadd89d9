import { expect, test } from 'vitest'
import { vocabulary } from './fixtures/reading.ts'
import { researchCalls } from './research-calls.ts'
import { readText } from './slots.ts'

const now = new Date('2026-03-14T12:00:00Z')

test.each([
  ['what is the tvl of base', ['tvl_get {"chain":"base"}']],
  ['compare base and arbitrum', ['tvl_get {"chain":"base"}', 'tvl_get {"chain":"arbitrum"}']],
  ['how did base grow in the last 7 days', ['chain_history {"chain":"base","days":7}']],
  ['tell me about uniswap v3', ['protocol_get {"protocol":"uniswap-v3"}']],
  ['history of aave', ['protocol_history {"protocol":"aave","days":30}']],
  ['tell me about weth', ['token_price {"token":"WETH"}']],
  ['best yields on base', ['tvl_get {"chain":"base"}', 'yields_top {"chain":"base","limit":5,"min_tvl_usd":0}']],
  ['top protocols', ['tvl_get {"chain":"sandbox"}', 'protocols_list {"chain":"sandbox","limit":5}']],
  ['which chains are the largest', ['chains_list {"limit":5}']],
  ["how's the market", ['tvl_get {"chain":"sandbox"}', 'pools_list {"chain":"sandbox","limit":5}']],
])('%s', (text, expected) => {
  const calls = researchCalls(text, readText(text, vocabulary, now).slots, 'sandbox', now)
  expect(calls.map((call) => `${call.tool_name} ${JSON.stringify(call.arguments)}`)).toEqual(expected)
})

test('however much a text names, few calls are made', () => {
  const text = 'aave compound lido curve uniswap base arbitrum optimism polygon pools yields'
  expect(researchCalls(text, readText(text, vocabulary, now).slots, 'sandbox', now).length).toBeLessThanOrEqual(6)
})
