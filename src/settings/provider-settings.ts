import { z } from 'zod'
import { baseUrl, httpUrl, type Setting } from './setting-kinds.ts'

const key = z.string().min(1).max(500)
const embedded = "unset, the sandbox's own in the sandbox"

/** Where the providers of research are, and the keys they ask for. */
export const providerSettings = {
  TVL_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `TVL provider, in the format of https://api.llama.fi; ${embedded} and that address elsewhere`,
    secret: true,
  },
  TVL_PRICES_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: 'Prices of the TVL provider; unset, TVL_URL if that is set, else https://coins.llama.fi',
    secret: true,
  },
  TVL_POOLS_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: 'Pools and yields of the TVL provider; unset, TVL_URL if that is set, else https://yields.llama.fi',
    secret: true,
  },
  BITCOIN_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Bitcoin provider, in the format of https://blockstream.info/api; ${embedded} and that address elsewhere`,
    secret: true,
  },
  EXCHANGE_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Market data by REST, in the format of https://data-api.binance.vision; ${embedded} and that address elsewhere`,
    secret: true,
  },
  EXCHANGE_STREAM_URL: {
    schema: baseUrl(z.url({ protocol: /^wss?$/, error: 'must be a URL with ws or wss' })).optional(),
    meaning: 'Market data by WebSocket; unset, EXCHANGE_URL if that is set, else wss://data-stream.binance.vision',
    secret: true,
  },
  ANALYTICS_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Analytics provider, in the format of https://api.dune.com/api; ${embedded} and that address elsewhere`,
    secret: true,
  },
  ANALYTICS_API_KEY: {
    schema: key.optional(),
    meaning: "Key of the analytics provider, which answers nobody without one; the sandbox's own asks for none",
    secret: true,
  },
  SUBGRAPH_API_KEY: {
    schema: key.optional(),
    meaning: 'Bearer key that is sent to SUBGRAPH_GATEWAY and to nobody else',
    secret: true,
  },
  SUBGRAPH_GATEWAY: {
    schema: z
      .string()
      .regex(/^[a-z0-9.-]{1,253}$/, 'must be a host name')
      .default('gateway.thegraph.com'),
    meaning: 'Host of the subgraphs that SUBGRAPH_API_KEY opens',
  },
} as const satisfies Record<string, Setting>
