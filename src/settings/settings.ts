import { z } from 'zod'
import { rateRules, tiers } from '../contract/shared/limits.ts'
import { assistantSettings } from './assistant-settings.ts'
import { providerSettings } from './provider-settings.ts'
import {
  apiKey,
  chainNumber,
  faucetTiers,
  httpUrl,
  list,
  masterKey,
  oneOf,
  origin,
  port,
  type Setting,
  tokenAddress,
  units,
  usd,
  whole,
} from './setting-kinds.ts'

/** Every setting, once: how it is read, what it means, and whether its value may be shown. */
export const settings = {
  HOST: { schema: z.string().min(1).default('127.0.0.1'), meaning: 'Address that every server listens on' },
  HTTP_PORT: { schema: port.default(8000), meaning: 'REST, SSE, tRPC, documents, health, metrics and the explorer' },
  GRPC_PORT: { schema: port.default(50_051), meaning: 'gRPC with reflection and health' },
  RPC_PORT: { schema: port.default(8545), meaning: 'JSON-RPC of the chain node' },
  L1_RPC_PORT: {
    schema: port.default(8547),
    meaning: 'JSON-RPC of the embedded parent chain (sandbox only)',
  },
  PROVIDERS_PORT: {
    schema: port.default(8548),
    meaning: 'Providers of the sandbox, on loopback; its subgraph_url leads there (sandbox only)',
  },
  PUBLIC_URL: {
    schema: httpUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
    meaning: 'Address that callers reach HTTP_PORT by, for links in answers; else where it listens',
  },
  DATA_DIR: {
    schema: z.string().min(1).default('.data'),
    meaning: 'SQLite file, chain state, sealed keys and generated secrets',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a URL with postgres' }).optional(),
    meaning: 'PostgreSQL to use in place of SQLite',
    secret: true,
  },
  CHAIN_ID: {
    schema: whole(1, Number.MAX_SAFE_INTEGER).default(84_532),
    meaning: 'Id of the chain: the embedded one takes it, a public one must answer with it',
  },
  CHAIN_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: 'JSON-RPC of a public chain, several with commas for failover; unset embeds a chain',
    secret: true,
  },
  CHAIN_TABLE: {
    schema: z.string().min(1).optional(),
    meaning:
      'File with the table of contracts of the public chain (as in src/adapters/chain/deployments), in place of ours',
  },
  CHAIN_WS_URL: {
    schema: z.url({ protocol: /^wss?$/, error: 'must be a URL with ws or wss' }).optional(),
    meaning: 'WebSocket of the public chain, for new heads and waiting transactions; unset, heads are polled',
    secret: true,
  },
  ROLLUP_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: 'JSON-RPC of the rollup node of the public chain, for the rollup methods',
    secret: true,
  },
  L1_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: "JSON-RPC of the public chain's parent chain, several with commas for failover, for bridge status",
    secret: true,
  },
  L1_PORTAL_ADDRESS: {
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
      .optional(),
    meaning: 'Portal of the public chain on that parent chain; unset, the node of ROLLUP_RPC_URL tells it',
  },
  RATE_LIMITS: {
    schema: oneOf('on', 'off').default('on'),
    meaning: 'off lifts request rates, for tests and benchmarks only',
  },
  RATE_RULES: {
    schema: z
      .string()
      .regex(
        /^[a-z]+=\d{1,9}(\/\d{1,9}){1,2}(,[a-z]+=\d{1,9}(\/\d{1,9}){1,2})*$/,
        'must be class=requests/seconds, such as chat=40/60,node=100/1/200',
      )
      .optional(),
    meaning: `Changes rates, as class=requests/seconds or class=requests/seconds/burst; classes: ${Object.keys(rateRules).join(', ')}`,
  },
  RPC_API_KEYS: {
    schema: list.pipe(z.array(apiKey).min(1)).optional(),
    meaning: `Keys that callers may send as x-api-key, as key:tier with commas, each key of 16 to 128 of A-Z a-z 0-9 . _ ~ -; tiers: ${Object.keys(tiers).join(', ')}`,
    secret: true,
  },
  OPERATOR_TOKEN: {
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    meaning: 'Bearer token of operator calls; unset, they answer only callers on this machine',
    secret: true,
  },
  TRADING_ENABLED: {
    schema: oneOf('true', 'false').optional(),
    meaning: 'Real trades: on in the sandbox; elsewhere off until this and both caps are set',
  },
  MAX_TRADE_USD: { schema: usd.optional(), meaning: 'Largest value of one real trade in USD' },
  MAX_DAILY_USD: {
    schema: usd.optional(),
    meaning:
      'Largest value of the real trades of an account in any 24 hours in USD, counted from when each took its nonce',
  },
  FAUCET_AMOUNT: { schema: units.default('10'), meaning: 'What the faucet pays at once, in native currency' },
  FAUCET_COOLDOWN_SECONDS: {
    schema: whole(1, 31_536_000).default(86_400),
    meaning: 'Seconds between two payments to one address; RATE_RULES faucet limits the payments to one client address',
  },
  FAUCET_TIERS: {
    schema: faucetTiers.optional(),
    meaning:
      'Other amounts and seconds between payments for callers with a key of RPC_API_KEYS, as tier=amount/seconds with commas',
  },
  FAUCET_DAILY_CAP: {
    schema: units.default('100000'),
    meaning: 'Most that the faucet pays to all in one UTC day, in native currency',
  },
  FAUCET_KEY: {
    schema: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lower-case hex digits')
      .optional(),
    meaning: 'Private key of the account that pays the faucet of a public chain, which is off without it',
    secret: true,
  },
  CAPTCHA_VERIFY_URL: {
    schema: httpUrl.optional(),
    meaning:
      'Where the captcha of a claim is checked (hCaptcha, Turnstile or reCAPTCHA siteverify); unset asks for none',
  },
  CAPTCHA_SECRET: {
    schema: z.string().min(1).max(500).optional(),
    meaning: 'Secret of this site at that verifier',
    secret: true,
  },
  TRADE_TOKENS: {
    schema: list.pipe(z.array(tokenAddress).min(1)).optional(),
    meaning:
      'Addresses of the only tokens of listChains that real trades may sell or buy, with commas; the native currency is one of its own, ' +
      '0x0000000000000000000000000000000000000000, and not allowed by its wrapped token; unset allows all',
  },
  TRADE_VENUES: {
    schema: list.pipe(z.array(oneOf('uniswap_v2', 'uniswap_v3', 'wrapped_native')).min(1)).optional(),
    meaning: 'The only exchanges that real trades may use, with commas, which quotes keep to; unset allows all',
  },
  TRADE_CHAINS: {
    schema: list.pipe(z.array(chainNumber).min(1)).optional(),
    meaning: 'Ids of the only chains of listChains that real trades may be made on, with commas; unset allows all',
  },
  MASTER_KEY: {
    schema: masterKey.optional(),
    meaning: 'Key that seals wallet keys; unset makes one in DATA_DIR',
    secret: true,
  },
  PREVIOUS_MASTER_KEY: {
    schema: masterKey.optional(),
    meaning: 'Master key of before: set for one start, wallet keys sealed with it are sealed with the present one',
    secret: true,
  },
  SIGNER_URL: {
    schema: httpUrl.optional(),
    meaning: 'JSON-RPC of a remote signer, such as web3signer or clef; the operator grants its accounts as wallets',
    secret: true,
  },
  ...providerSettings,
  ...assistantSettings,
  TRUSTED_PROXIES: { schema: list.optional(), meaning: 'Addresses or networks whose forwarding headers are believed' },
  CORS_ORIGINS: {
    schema: list.pipe(z.array(origin)).optional(),
    meaning: 'Origins that browsers may call from, such as https://app.example; unset allows none',
  },
  TLS_CERT: {
    schema: z.string().optional(),
    meaning: 'Certificate file (PEM); with it HTTP, gRPC and JSON-RPC all speak TLS',
  },
  TLS_KEY: { schema: z.string().optional(), meaning: 'Key file (PEM) of that certificate' },
  LOG_LEVEL: {
    schema: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
    meaning: 'Least level of log lines on standard error: debug tells each request, trace each step of it',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    meaning: 'OpenTelemetry collector that traces are sent to by OTLP over HTTP; unset sends none',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).max(200).default('trident'),
    meaning: 'Name of this service in traces',
  },
} as const satisfies Record<string, Setting>
