import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { chainName } from '../shared/values.ts'
import type { ToolTable } from './tool-table.ts'

const token = z
  .string()
  .min(1)
  .max(160)
  .describe("Symbol or address of a token of a connected chain, or the provider's own key such as ethereum:0x…")
const protocol = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/, 'a short name such as uniswap-v3')
  .describe('Short name of the protocol, as protocols_list returns it')
const pool = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'an id such as 0x… or a UUID')
  .describe('Id of the pool, as pools_list returns it')
const limit = (usual: number) => z.int().min(1).max(100).default(usual).describe('Most rows')
const days = z.int().min(1).max(3_650).default(30).describe('Number of days to go back')
const onChain = chainName.optional().describe('Name or id of the chain; every chain if absent')

/** The tools of the TVL provider. */
export const tvlTools = {
  tvl_get: {
    description: 'Total value locked on a chain, in US dollars',
    arguments: z.strictObject({ chain: chainName }),
  },
  tvl_total: { description: 'Total value locked on all chains together', arguments: z.strictObject({}) },
  chains_list: {
    description: 'Chains by their total value locked, largest first',
    arguments: z.strictObject({ limit: limit(20) }),
  },
  chain_history: {
    description: 'Total value locked on a chain, one value for each day, oldest first',
    arguments: z.strictObject({ chain: chainName, days }),
  },
  total_history: {
    description: 'Total value locked on all chains, one value for each day, oldest first',
    arguments: z.strictObject({ days }),
  },
  protocols_list: {
    description: 'Protocols by their total value locked, largest first',
    arguments: z.strictObject({
      chain: onChain,
      category: z.string().min(1).max(64).optional().describe('Category such as Dexs or Lending'),
      limit: limit(20),
    }),
  },
  protocol_get: {
    description: 'A protocol and its value locked on each chain',
    arguments: z.strictObject({ protocol }),
  },
  protocol_tvl: { description: 'Total value locked in a protocol', arguments: z.strictObject({ protocol }) },
  protocol_history: {
    description: 'Total value locked in a protocol, one value for each day, oldest first',
    arguments: z.strictObject({ protocol, days }),
  },
  token_price: {
    description: 'Price of a token in US dollars',
    arguments: z.strictObject({ token, chain: onChain.describe('Chain of the token; the default one if absent') }),
  },
  token_prices: {
    description: 'Prices of several tokens in US dollars',
    arguments: z.strictObject({
      tokens: boundedArray(token, 50).min(1).describe('Which tokens'),
      chain: onChain.describe('Chain of the tokens; the default one if absent'),
    }),
  },
  pools_list: {
    description: 'Pools by their value, largest first, with their yields',
    arguments: z.strictObject({
      chain: onChain,
      project: protocol.optional(),
      min_tvl_usd: z.number().min(0).max(1e15).default(0).describe('Least value of a pool, in US dollars'),
      limit: limit(20),
    }),
  },
  pool_get: { description: 'A pool with its value and yield', arguments: z.strictObject({ pool }) },
  yields_top: {
    description: 'Pools by their yearly yield in percent, highest first',
    arguments: z.strictObject({
      chain: onChain,
      min_tvl_usd: z.number().min(0).max(1e15).default(100_000).describe('Least value of a pool, in US dollars'),
      limit: limit(20),
    }),
  },
} as const satisfies ToolTable
