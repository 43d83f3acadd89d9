import { z } from 'zod'
import { contract } from '../index.ts'
import { boundedArray } from '../shared/bounded.ts'
import { bounds } from '../shared/limits.ts'
import { position } from '../shared/positions.ts'
import { freeInput, freeObject, freeValue } from '../shared/primitives.ts'
import { bitcoinTools } from '../tools/bitcoin-tool-table.ts'
import { exchangeTools } from '../tools/exchange-tool-table.ts'
import type { ToolTable } from '../tools/tool-table.ts'
import { tvlTools } from '../tools/tvl-tool-table.ts'
import { chainChoice, cursorField, freeAnswer, nextCursor } from './fields.ts'
import { agentTool } from './tool.ts'

/** The data of providers by the operation that reads them. */
export const marketData = {
  'tools.invokeExchange': exchangeTools,
  'tools.invokeTvl': tvlTools,
  'tools.invokeBitcoin': bitcoinTools,
} as const satisfies Record<string, ToolTable>

const dataNames = Object.values(marketData).flatMap((table) => Object.keys(table))

export const readingTools = {
  find_token: agentTool({
    title: 'Find tokens',
    serves: ['trading.listChains'],
    description: 'The tokens that can be traded, by a part of symbol or address; without query all.',
    input: z.strictObject({
      query: z.string().min(1).max(64).optional(),
      chain_id: chainChoice.describe('Only of this chain'),
      cursor: cursorField,
    }),
    output: z.object({
      tokens: z.array(
        z.object({
          chain_id: z.int(),
          chain: z.string(),
          symbol: z.string(),
          address: z.string(),
          decimals: z.int(),
          test: z.boolean().optional(),
        }),
      ),
      next_cursor: nextCursor,
    }),
    quotes: true,
  }),
  positions: agentTool({
    title: 'Your positions',
    serves: ['metrics.positions'],
    description:
      'What the account holds, by its books, at prices in US dollars; quantity_decimal is in units of the token.',
    input: z.strictObject({
      ...contract.metrics.positions.input.pick({ wallet_address: true, token_symbol: true }).shape,
      cursor: cursorField,
    }),
    output: z.object({
      positions: z.array(
        position.pick({
          token_symbol: true,
          token_address: true,
          chain_id: true,
          wallet_address: true,
          quantity_decimal: true,
          cost_basis_usd_per_unit_decimal: true,
          last_price_usd_decimal: true,
          market_value_usd_decimal: true,
          unrealized_pnl_usd_decimal: true,
          gas_usd_decimal: true,
        }),
      ),
      next_cursor: nextCursor,
    }),
    quotes: true,
  }),
  profit: agentTool({
    title: 'Your profit',
    serves: ['metrics.realizedPnl', 'metrics.unrealizedPnl'],
    description:
      'Realised profit, and unrealised profit at current prices, in US dollars. unpriced names tokens without a price.',
    input: z.strictObject({}),
    output: z.object({
      ...contract.metrics.realizedPnl.output.pick({ realized_pnl_usd_decimal: true, gas_usd_decimal: true }).shape,
      ...contract.metrics.unrealizedPnl.output.omit({ unrealized_pnl_usd: true }).shape,
    }),
    quotes: true,
  }),
  research: agentTool({
    title: 'Research',
    serves: ['research.preview'],
    description:
      'Facts from several sources at once, each group of fields by itself: prices, value locked, pools, a subgraph, an analytics query.',
    values: bounds.freeValues,
    input: z.strictObject({
      ...contract.research.preview.input.omit({ defi_calls: true, variables: true }).shape,
      cursor: cursorField,
    }),
    output: freeAnswer,
    quotes: true,
  }),
  market_data: agentTool({
    title: 'Read market data',
    serves: Object.keys(marketData) as (keyof typeof marketData)[],
    description: 'Exchange, value locked, yields, bitcoin. search_operations shows the arguments of each.',
    values: bounds.freeValues,
    input: z.strictObject({
      name: z.string().min(1).max(64).meta({ enum: dataNames }),
      arguments: freeInput.optional(),
      cursor: cursorField,
    }),
    output: freeAnswer,
    quotes: true,
  }),
  read_chain: agentTool({
    title: 'Read the chain',
    serves: [],
    values: bounds.jsonValues,
    description: 'A read of the default chain by a JSON-RPC method, such as eth_getBalance, eth_call or eth_getLogs.',
    input: z.strictObject({
      method: z.string().min(1).max(64),
      params: z
        .union([boundedArray(freeValue, 10), freeInput])
        .describe('By position or by name')
        .optional(),
      cursor: cursorField,
    }),
    output: freeAnswer,
    quotes: true,
  }),
  bridge_status: agentTool({
    title: 'Status of bridge transfers',
    serves: ['chain.bridgeStatus'],
    description:
      'How far the transfers of a transaction to or from the parent chain are, and what comes next: all together, and each in transfers. amount is in wei.',
    input: contract.chain.bridgeStatus.input.strict(),
    output: contract.chain.bridgeStatus.output,
    quotes: true,
  }),
  search_operations: agentTool({
    title: 'Search operations',
    serves: [],
    description:
      'Finds further reads by words: operations, market data, chain methods, each with the tool that calls it and its input.',
    input: z.strictObject({
      query: z.string().min(1).max(200),
      limit: z.int().min(1).max(10).default(5),
    }),
    output: z.object({
      found: z.array(z.object({ name: z.string(), tool: z.string(), summary: z.string(), input: freeObject })),
      hint: z.string().optional(),
    }),
  }),
  call_operation: agentTool({
    title: 'Call an operation',
    serves: [],
    values: bounds.jsonValues,
    description: 'Calls an operation that search_operations found. None of them moves money.',
    input: z.strictObject({
      operation: z.string().min(1).max(64),
      input: freeInput.optional(),
      cursor: cursorField,
    }),
    output: freeAnswer,
    quotes: true,
  }),
}
