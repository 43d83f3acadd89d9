import { z } from 'zod'
import { metricsSeries } from './metrics-series.ts'
import { operation } from './shared/operation.ts'
import { position } from './shared/positions.ts'
import { checkedAddress, inputText, timestampInput } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { agentName, amount, chainName, signedAmount, unpriced } from './shared/values.ts'

const agentVolume = z
  .object({
    key: z.string().describe('Label that the caller chose'),
    value: z.number().describe('Volume in US dollars'),
    value_decimal: amount.describe('value, exact'),
  })
  .meta({ id: 'AgentVolume', description: 'The trading volume of one agent' })

export const metrics = {
  positions: operation({
    kind: 'unary',
    summary: 'List your open positions',
    description: 'Filters can be combined. Without any, every open position is returned.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/positions' },
    input: z.strictObject({
      agent: agentName.describe('Positions under this label').optional(),
      wallet_address: checkedAddress.describe('Positions of this wallet').optional(),
      token_symbol: inputText.min(1).max(32).describe('Positions in the token of this symbol').optional(),
      token_address: checkedAddress.describe('Positions in the token at this address').optional(),
    }),
    output: z.array(position),
    errors: ['UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: {
      input: { agent: 'trading_team' },
      output: [
        {
          token_symbol: 'USDC',
          quantity: 1246.181903,
          realized_pnl_usd: 0,
          quantity_decimal: '1246.181903',
          realized_pnl_usd_decimal: '0',
          agent: 'trading_team',
          wallet_address: sample.wallet,
          chain_id: sample.chainId,
          token_address: sample.usdc,
          cost_basis_usd_per_unit: 1.001,
          cost_basis_usd_per_unit_decimal: '1.001',
          last_price_usd: 1,
          last_price_usd_decimal: '1',
          market_value_usd: 1246.181903,
          market_value_usd_decimal: '1246.181903',
          unrealized_pnl_usd: -1.246181903,
          unrealized_pnl_usd_decimal: '-1.246181903',
          gas_usd: 0,
          gas_usd_decimal: '0',
          updated_at: sample.at,
        },
      ],
    },
  }),

  volume: operation({
    kind: 'unary',
    summary: 'Sum your trading volume, in total and by agent',
    description:
      'The period includes its start and excludes its end. Every filled trade counts with its value at that ' +
      'time. Wrapping and unwrapping the native currency count as trades, as they do for the caps.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/metrics/volume' },
    input: z.strictObject({
      start: timestampInput.describe('Trades from this moment on').optional(),
      end: timestampInput.describe('Trades before this moment').optional(),
      agent: agentName.describe('Trades under this label').optional(),
    }),
    output: z.object({
      total_volume_usd: z.number().describe('Volume in US dollars'),
      by_agent: z.array(agentVolume).describe('Volume by agent'),
      total_volume_usd_decimal: amount.describe('total_volume_usd, exact'),
    }),
    errors: [],
    example: {
      input: { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' },
      output: {
        total_volume_usd: 1248.175,
        by_agent: [{ key: 'trading_team', value: 1248.175, value_decimal: '1248.175' }],
        total_volume_usd_decimal: '1248.175',
      },
    },
  }),

  realizedPnl: operation({
    kind: 'unary',
    summary: 'Sum your realised profit',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/metrics/pnl' },
    input: z.strictObject({}),
    output: z.object({
      realized_pnl_usd: z.number().describe('Profit in US dollars; below zero for a loss'),
      realized_pnl_usd_decimal: signedAmount.describe('realized_pnl_usd, exact'),
      gas_usd: z
        .number()
        .describe('Cost of all gas that the profit is after, in US dollars: the sum of gas_usd over the closed trades'),
      gas_usd_decimal: signedAmount.describe('gas_usd, exact'),
    }),
    errors: [],
    example: {
      input: {},
      output: { realized_pnl_usd: 12.5, realized_pnl_usd_decimal: '12.5', gas_usd: 0.5, gas_usd_decimal: '0.5' },
    },
  }),

  unrealizedPnl: operation({
    kind: 'unary',
    summary: 'Sum the unrealised profit of your positions, at current prices',
    description: 'Tokens without a current price are left out; unpriced names them.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/metrics/pnl/unrealized' },
    input: z.strictObject({}),
    output: z.object({
      unrealized_pnl_usd: z.number().describe('Value minus cost in US dollars; below zero for a loss'),
      unrealized_pnl_usd_decimal: signedAmount.describe('unrealized_pnl_usd, exact'),
      unpriced,
    }),
    errors: ['UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: {
      input: {},
      output: { unrealized_pnl_usd: -1.246181903, unrealized_pnl_usd_decimal: '-1.246181903', unpriced: ['RUG'] },
    },
  }),

  tvl: operation({
    kind: 'unary',
    summary: 'Read the value held by the agents or locked on a chain',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/metrics/tvl' },
    input: z.strictObject({
      mode: z
        .enum(['agents', 'tvlfeed'])
        .meta({ message: 'TvlMode' })
        .describe('agents: what your agents hold; tvlfeed: what the TVL provider reports for a chain')
        .default('agents'),
      chain: chainName.describe('Name or id of the chain; only with mode tvlfeed').optional(),
    }),
    output: z.object({
      tvl_usd: z.number().describe('Value in US dollars'),
      source: z.string().describe('Where the number comes from'),
      tvl_usd_decimal: amount.describe('tvl_usd, exact'),
      unpriced,
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { mode: 'tvlfeed', chain: 'sandbox' },
      output: { tvl_usd: 5_012_400.5, source: 'tvlfeed', tvl_usd_decimal: '5012400.5', unpriced: [] },
    },
  }),

  ...metricsSeries,
}
