import { z } from 'zod'
import { baseUrl, httpUrl, type Setting } from './setting-kinds.ts'

const key = z.string().min(1).max(500)
const embedded = 'unset, embedded in the sandbox'

/** Addresses and keys of the providers of research and market data. */
export const providerSettings = {
  TVL_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `TVL provider, like https://api.llama.fi; ${embedded}, elsewhere that address`,
    secret: true,
  },
  TVL_PRICES_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: 'Its prices; unset, TVL_URL if set, else https://coins.llama.fi',
    secret: true,
  },
  TVL_POOLS_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: 'Its pools and yields; unset, TVL_URL if set, else https://yields.llama.fi',
    secret: true,
  },
  BITCOIN_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Bitcoin provider, like https://blockstream.info/api; ${embedded}, elsewhere that address`,
    secret: true,
  },
  EXCHANGE_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Market data over REST, like https://data-api.binance.vision; ${embedded}, elsewhere that address`,
    secret: true,
  },
  EXCHANGE_STREAM_URL: {
    schema: baseUrl(z.url({ protocol: /^wss?$/, error: 'must be a URL with ws or wss' })).optional(),
    meaning: 'Market data over WebSocket; unset, EXCHANGE_URL if set, else wss://data-stream.binance.vision',
    secret: true,
  },
  ANALYTICS_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning: `Analytics provider, like https://api.dune.com/api; ${embedded}, elsewhere that address`,
    secret: true,
  },
  ANALYTICS_API_KEY: {
    schema: key.optional(),
    meaning: 'Key of the analytics provider, which requires one outside the sandbox',
    secret: true,
  },
  SUBGRAPH_API_KEY: {
    schema: key.optional(),
    meaning: 'Bearer key, sent to SUBGRAPH_GATEWAY only',
    secret: true,
  },
  SUBGRAPH_GATEWAY: {
    schema: z
      .string()
      .regex(/^[a-z0-9.-]{1,253}$/, 'must be a host name')
      .default('gateway.thegraph.com'),
    meaning: 'Host that receives SUBGRAPH_API_KEY',
  },
} as const satisfies Record<string, Setting>
