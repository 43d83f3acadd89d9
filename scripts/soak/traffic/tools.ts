import { type OperationId, operationOf } from '../../../src/contract/index.ts'
import { fundedAccount, protocols } from '../../../test/world.ts'
import { ask, type Traffic } from '../world.ts'

/** The input of the contract's own example. */
const byExample: readonly OperationId[] = [
  'tools.listTvl',
  'tools.invokeTvl',
  'tools.listExchange',
  'tools.invokeExchange',
  'tools.listBitcoin',
  'tools.invokeBitcoin',
  'tools.latestBitcoinBlock',
  'tools.oraclePrice',
  'tools.walletBalance',
  'research.preview',
  'trading.previewIntent',
  'trading.listChains',
  'trading.listWallets',
]
const calls = [
  ['tools.invokeTvl', 'tvl_get', { chain: 'sandbox' }],
  ['tools.invokeTvl', 'chains_list', {}],
  ['tools.invokeTvl', 'pools_list', { chain: 'sandbox' }],
  ['tools.invokeExchange', 'depth_get', { symbol: 'ETHUSDC', limit: 20 }],
  ['tools.invokeExchange', 'klines_list', { symbol: 'ETHUSDC', interval: '1m', limit: 20 }],
  ['tools.invokeExchange', 'trades_list', { symbol: 'BTCUSDC', limit: 20 }],
  ['tools.invokeBitcoin', 'fees_get', {}],
] as const

/** A user of tools: every provider of the sandbox, research over several of them, prices and risks. */
export const tools: Traffic = {
  name: 'tools',
  pauseMs: 250,
  async begin(world, { one }) {
    const { token, swap } = await fundedAccount(world.clients.rest)
    const questions: (readonly [OperationId, object])[] = [
      ...byExample.map((id) => [id, operationOf(id).example.input] as const),
      ...calls.map(([id, tool_name, given]) => [id, { tool_name, arguments: given }] as const),
      ['research.preview', { analytics_query_id: 1, tvl_chain: 'sandbox', price_symbol: 'WETH' }],
      ['trading.previewRun', { text: 'Swap 0.1 WETH for USDC', evm_input: swap('WETH', 'USDC', '0.1') }],
      ['trading.quote', { input: swap('WBTC', 'USDC', '0.01') }],
    ]
    return {
      async round() {
        const client = world.clients[one(protocols)]
        const [id, input] = one(questions)
        const answer = await ask(world, { client, id, input, token })
        if (id !== 'trading.quote') return
        const checks = { chain: 'evm', addresses: answer.route, checks: ['rug', 'whale_flow', 'price_sanity'] }
        await ask(world, { client, id: 'trading.assessRisk', input: { quote: answer, input: checks }, token })
      },
    }
  },
}
