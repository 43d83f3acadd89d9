import { expect, test } from 'vitest'
import { clockAt } from '../../../../test/clock.ts'
import { vocabulary } from '../../intent/fixtures/reading.ts'
import { createEmbeddedRules } from './embedded-rules.ts'

const rules = createEmbeddedRules(
  vocabulary,
  clockAt(() => new Date(0)),
)

/** The answer of the rules to a text, and the quotes that they requested. */
async function answerTo(text: string): Promise<{ said: string; quoted: Record<string, unknown>[] }> {
  const quoted: Record<string, unknown>[] = []
  const run = async (input: Record<string, unknown>) => {
    quoted.push(input)
    return { venue: 'uniswap_v3', expected_out: '2000' }
  }
  const quote = { name: 'trading_quote', operation: 'trading.quote', description: '', inputSchema: {}, run }
  const { signal } = new AbortController()
  const tools = new Map([['trading_quote', quote]])
  const pieces = await Array.fromAsync(
    rules.reply({ history: [], text, tools, signal, report: () => undefined, record: () => undefined }),
  )
  return { said: pieces.join(''), quoted }
}

test.each(['90%', '200%', '-1%'])('a slippage of %s is refused with what may be set', async (slippage) => {
  const { said, quoted } = await answerTo(`quote 1 WETH to USDC with ${slippage} slippage`)
  expect(said).toMatch(/slippage must be from 0 to 50 %\. Which slippage do you want/)
  expect(quoted).toEqual([])
})

test('a slippage of 50% is the most that is quoted', async () => {
  const { quoted } = await answerTo('quote 1 WETH to USDC with 50% slippage')
  expect(quoted).toMatchObject([{ input: { slippage_bps: 5_000 } }])
})

test.each([
  ['quote 1 WETH to USDC on uniswap v2', true],
  ['quote 1 WETH to USDC on sushiswap', true],
  ['quote 1 WETH to USDC on uniswap v3', false],
  ['quote 1 WETH to USDC on uniswap', false],
  ['quote 1 WETH to USDC', false],
])('%s: that another venue is chosen is said: %s', async (text, isSaid) => {
  expect((await answerTo(text)).said.includes('whatever venue you name')).toBe(isSaid)
})
