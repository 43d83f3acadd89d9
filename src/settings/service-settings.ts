import { z } from 'zod'
import { baseUrl, httpUrl, oneOf, type Setting, whole } from './setting-kinds.ts'

const printable = (most: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`), `must be 1 to ${most} printable characters without spaces`)

/** The language model behind the assistant, and the limits of one reply. */
export const assistantSettings = {
  LLM_BASE_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning:
      "Language model server with OpenAI's chat completions, such as http://127.0.0.1:11434/v1; unset, rules reply",
    secret: true,
  },
  LLM_MODEL: { schema: printable(200).optional(), meaning: 'Name of the model there' },
  LLM_API_KEY: { schema: printable(500).optional(), meaning: 'Bearer key for that server', secret: true },
  LLM_MAX_TOKENS: {
    schema: whole(64, 100_000).default(2_000),
    meaning: 'Tokens that the model may write for one reply, over all its steps',
  },
  LLM_TOKENS_FIELD: {
    schema: oneOf('max_tokens', 'max_completion_tokens').default('max_tokens'),
    meaning: "Request field with that number; OpenAI's reasoning models accept only max_completion_tokens",
  },
  LLM_CONTEXT_TOKENS: {
    schema: whole(8_000, 1_000_000).default(32_000),
    meaning:
      'Largest request to the model in tokens, estimated as a third of the bytes; the question itself is never cut',
  },
  LLM_TIMEOUT_SECONDS: {
    schema: whole(1, 3_600).default(120),
    meaning: 'Seconds that one reply may take',
  },
  LLM_SILENCE_SECONDS: {
    schema: whole(1, 280).default(60),
    meaning: 'Seconds that the server may send nothing',
  },
} as const satisfies Record<string, Setting>

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
