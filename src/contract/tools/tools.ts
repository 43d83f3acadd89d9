import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { checkedAddress, timestamp } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { amount, chainId, chainName, source, toolInvocation, toolList, toolResult, unpriced } from '../shared/values.ts'
import { bitcoinOperations } from './bitcoin.ts'
import { exchangeOperations } from './exchange.ts'
import { tvlTools } from './tvl-tool-table.ts'

const tokenBalance = z
  .object({
    symbol: z.string().describe('Symbol of the token'),
    address: z.string().describe('Address of the token'),
    decimals: z.int32().describe('Digits after the point'),
    amount: amount.describe('Balance in units of the token'),
    value_usd: amount
      .describe('Value by its feed, in US dollars; absent without a feed, or with a feed older than its heartbeat')
      .optional(),
  })
  .meta({ id: 'TokenBalance', description: 'A balance in one token' })

export const tools = {
  listTvl: operation({
    kind: 'unary',
    summary: 'List the tools of the TVL provider',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/tvlfeed/tools' },
    input: z.strictObject({}),
    output: toolList,
    errors: ['UNIMPLEMENTED'],
    example: {
      input: {},
      output: {
        tools: [
          {
            name: 'tvl_get',
            description: 'Total value locked on a chain',
            input_schema: { type: 'object', properties: { chain: { type: 'string' } }, required: ['chain'] },
          },
        ],
      },
    },
  }),

  invokeTvl: operation({
    kind: 'unary',
    summary: 'Call a tool of the TVL provider',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    values: bounds.freeValues,
    http: { method: 'POST', path: '/api/v1/multi-agent/tvlfeed/invoke' },
    input: toolInvocation(tvlTools, 'tvl_get or token_price'),
    output: toolResult,
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { tool_name: 'tvl_get', arguments: { chain: 'sandbox' } },
      output: { tool: 'tvl_get', result: { chain: 'sandbox', tvl_usd: 5_012_400.5 }, source: 'tvlfeed' },
    },
  }),

  ...exchangeOperations,

  ...bitcoinOperations,

  oraclePrice: operation({
    kind: 'unary',
    summary: 'Read a price from an on-chain oracle',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/oraclefeed/price' },
    input: z.object({
      chain: chainName,
      pair: z
        .string()
        .regex(/^[A-Za-z0-9]{1,42}(\/[A-Za-z0-9]{1,16})?$/, 'a pair such as ETH/USD, or a token alone')
        .describe('Base and quote currency, such as ETH/USD; a token alone for its price in US dollars'),
    }),
    output: z.object({
      chain: z.string().describe('Name of the chain'),
      chain_id: z.int().describe('Id of the chain'),
      pair: z.string().describe('Base and quote currency'),
      price: amount.describe('Price of one unit of the base currency'),
      decimals: z.int32().describe('Digits after the point in the feed'),
      updated_at: timestamp.describe('When the feed was last updated'),
      age_seconds: z.int().describe('Seconds since then, by the clock of the chain'),
      heartbeat_seconds: z.int().describe('Longest time in seconds between two updates of a healthy feed'),
      deviation_bps: z
        .int32()
        .describe('Change of the price that triggers an update before the heartbeat, in basis points, where known')
        .optional(),
      stale: z.boolean().describe('True where the feed is older than its heartbeat'),
      round_id: z.string().describe('Round of the feed, as a decimal number'),
      round_started_at: timestamp.describe('When that round began'),
      answered_in_round: z
        .string()
        .describe('Round in which the answer was computed; that of an earlier round is carried over'),
      feed_address: z.string().describe('Contract of the feed').optional(),
      source,
    }),
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { chain: 'sandbox', pair: 'ETH/USD' },
      output: {
        chain: 'sandbox',
        chain_id: sample.chainId,
        pair: 'ETH/USD',
        price: '2496.35',
        decimals: 8,
        updated_at: sample.at,
        age_seconds: 212,
        heartbeat_seconds: 3_600,
        deviation_bps: 50,
        stale: false,
        round_id: '18446744073709551712',
        round_started_at: sample.at,
        answered_in_round: '18446744073709551712',
        feed_address: '0x9a3d2f4860e8b1a6c4d0f7e93b5a2c8d461c7e5b',
        source: 'oraclefeed on sandbox',
      },
    },
  }),

  walletBalance: operation({
    kind: 'unary',
    summary: 'Read the balances of an address',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/wallet/evm/balance' },
    input: z.strictObject({
      address: checkedAddress.describe('The address'),
      chain_id: chainId.describe('Chain to read; the default one if absent').optional(),
    }),
    output: z.object({
      address: z.string().describe('The address'),
      chain_id: z.int().describe('Chain that was read'),
      block_number: z.int().describe('Block of the balances'),
      native_symbol: z.string().describe('Symbol of the native currency'),
      native_balance: amount.describe('Balance in units of the native currency'),
      native_value_usd: amount
        .describe(
          'Value of that balance by its feed, in US dollars; absent without a feed, or with a feed older than its heartbeat',
        )
        .optional(),
      total_value_usd: amount.describe('Total value of all tokens with a price feed, in US dollars'),
      tokens: z.array(tokenBalance).describe('Balances in the known tokens'),
      unpriced,
      source,
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { address: sample.wallet },
      output: {
        address: sample.wallet,
        chain_id: sample.chainId,
        block_number: 4_211,
        native_symbol: 'ETH',
        native_balance: '9.998714',
        native_value_usd: '24960.2897',
        total_value_usd: '26206.471603',
        tokens: [
          { symbol: 'USDC', address: sample.usdc, decimals: 6, amount: '1246.181903', value_usd: '1246.181903' },
        ],
        unpriced: [],
        source: 'chain sandbox',
      },
    },
  }),
}
