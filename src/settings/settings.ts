import { z } from 'zod'
import { bounds, tiers } from '../contract/shared/limits.ts'
import { assistantSettings, providerSettings } from './service-settings.ts'
import {
  apiKey,
  baseUrl,
  chainNumber,
  faucetTiers,
  gwei,
  httpUrl,
  list,
  masterKey,
  network,
  oneOf,
  origin,
  port,
  type Setting,
  tokenAddress,
  units,
  usd,
  whole,
} from './setting-kinds.ts'

/** Every setting: how it is read, what it means, and whether its value is secret. */
export const settings = {
  HOST: { schema: z.string().min(1).default('127.0.0.1'), meaning: 'Address that every server listens on' },
  HTTP_PORT: { schema: port.default(8000), meaning: 'REST, tRPC, documents, health, metrics and pages' },
  GRPC_PORT: { schema: port.default(50_051), meaning: 'gRPC with reflection and health' },
  RPC_PORT: { schema: port.default(8545), meaning: 'JSON-RPC of the chain node' },
  L1_RPC_PORT: {
    schema: port.default(8547),
    meaning: 'JSON-RPC of the embedded parent chain (sandbox only)',
  },
  PROVIDERS_PORT: {
    schema: port.default(8548),
    meaning: 'Embedded providers, on loopback (sandbox only)',
  },
  SANDBOX_PORT: {
    schema: port.default(8549),
    meaning: 'Port of `npm run sandbox`, which serves the embedded world to gateways',
  },
  SANDBOX_URL: {
    schema: baseUrl(httpUrl)
      .refine((url) => (URL.parse(url)?.username ?? '') === '', 'must have no user or password: set SANDBOX_TOKEN')
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    meaning: 'Address of such a sandbox, such as http://127.0.0.1:8549; unset, the gateway has its own',
    secret: true,
  },
  SANDBOX_TOKEN: {
    schema: z
      .string()
      .regex(/^[\w.~-]{16,128}$/, 'must be 16 to 128 of A-Z a-z 0-9 . _ ~ -')
      .optional(),
    meaning: 'Token of the sandbox, the same on both sides; it is needed where HOST of the sandbox is not loopback',
    secret: true,
  },
  SANDBOX_MARKET: {
    schema: z.enum(['moving', 'still']).default('moving'),
    meaning: 'Prices of the sandbox: `moving`, or `still` where they are, for examples and tests',
  },
  SANDBOX_SPEED: {
    schema: z.coerce.number().min(bounds.sandboxSpeed.least).max(bounds.sandboxSpeed.most).default(4),
    meaning: `How many times faster than a real market its prices move, from ${bounds.sandboxSpeed.least} to ${bounds.sandboxSpeed.most}`,
  },
  SANDBOX_SEED: {
    schema: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -')
      .optional(),
    meaning:
      'The same seed gives the same prices from the start on, at the same speed; unset, a random one, which DATA_DIR keeps',
  },
  PUBLIC_URL: {
    schema: httpUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
    meaning:
      'Public address of HTTP_PORT: for links, as a host name, and as the origin of the own pages; unset, where it listens',
  },
  DATA_DIR: {
    schema: z.string().min(1).default('.data'),
    meaning: 'SQLite file, chain state and generated secrets',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a URL with postgres' }).optional(),
    meaning: 'PostgreSQL, in place of SQLite',
    secret: true,
  },
  REDIS_URL: {
    schema: z.url({ protocol: /^rediss?$/, error: 'must be a URL with redis or rediss' }).optional(),
    meaning:
      'Redis 7 or Valkey that replicas share for exact rates and answers of providers, with user and password, rediss for TLS; unset, rates are divided',
    secret: true,
  },
  DRAIN_SECONDS: {
    schema: whole(0, 60).optional(),
    meaning:
      'Seconds after SIGTERM in which requests are still taken while readiness is 503; unset, 5 with DATABASE_URL, else 0',
  },
  ROLES: {
    schema: list
      .pipe(z.array(oneOf('gateway', 'worker')).min(1, 'must be gateway, worker or both'))
      .prefault('gateway,worker'),
    meaning:
      'gateway serves callers, worker sends transactions and follows the chains; both, or one of them with DATABASE_URL',
  },
  CHAIN_ID: {
    schema: whole(1, Number.MAX_SAFE_INTEGER).default(84_532),
    meaning: 'Id of the chain, which a public node must confirm',
  },
  CHAIN_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: 'JSON-RPC of a public chain, several with commas for failover; unset, a chain is embedded',
    secret: true,
  },
  CHAIN_TABLE: {
    schema: z.string().min(1).optional(),
    meaning:
      'File with the contracts of the public chain, in the form of src/adapters/chain/deployments, in place of the included one',
  },
  CHAIN_WS_URL: {
    schema: z.url({ protocol: /^wss?$/, error: 'must be a URL with ws or wss' }).optional(),
    meaning: 'WebSocket of the public chain, for new heads and pending transactions; unset, heads are polled',
    secret: true,
  },
  ROLLUP_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: 'JSON-RPC of the rollup node of the public chain',
    secret: true,
  },
  L1_RPC_URL: {
    schema: list.pipe(z.array(httpUrl).min(1)).optional(),
    meaning: 'JSON-RPC of its parent chain, for bridge status; several with commas for failover',
    secret: true,
  },
  L1_PORTAL_ADDRESS: {
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
      .optional(),
    meaning: 'Portal on the parent chain; unset, read from ROLLUP_RPC_URL',
  },
  RATE_LIMITS: {
    schema: oneOf('on', 'off').default('on'),
    meaning: 'off removes request rates, for tests and benchmarks only',
  },
  RATE_RULES: {
    schema: z
      .string()
      .regex(
        /^[a-z_]+=\d{1,9}(\/\d{1,9}){1,2}(,[a-z_]+=\d{1,9}(\/\d{1,9}){1,2})*$/,
        'must be class=requests/seconds, such as chat=40/60,node=100/1/200',
      )
      .optional(),
    meaning: 'Changed rates, as class=requests/seconds or class=requests/seconds/burst, with commas',
  },
  ACCOUNT_STORAGE_MB: {
    schema: whole(1, 1_000_000).default(100),
    meaning: 'MiB of chats that an account may keep; trading.execute is never refused for it',
  },
  MESSAGE_DAYS: {
    schema: whole(1, 36_500).optional(),
    meaning: 'Days after which messages of chats are deleted; unset, they are kept',
  },
  RPC_GAS_CAP: {
    schema: whole(21_000, 60_000_000).default(50_000_000),
    meaning: 'Most gas of one call, estimate, simulation or access list of the embedded chains',
  },
  RPC_EVM_TIMEOUT_SECONDS: {
    schema: whole(1, 300).default(5),
    meaning: 'Seconds after which such a read, or a trace, is ended',
  },
  RPC_API_KEYS: {
    schema: list.pipe(z.array(apiKey).min(1)).optional(),
    meaning: `Keys that callers send as x-api-key, as key:tier with commas; tiers: ${Object.keys(tiers).join(', ')}`,
    secret: true,
  },
  OPERATOR_TOKEN: {
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    meaning: 'Bearer token of operator calls, admin_* and /metrics; unset, one is made in DATA_DIR as operator.token',
    secret: true,
  },
  METRICS_TOKEN: {
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    meaning: 'Bearer token that reads /metrics and nothing else; the operator token reads them too',
    secret: true,
  },
  TRADING_ENABLED: {
    schema: oneOf('true', 'false').optional(),
    meaning: 'Real trades: on in the sandbox; elsewhere off until this is true and both caps are set',
  },
  MAX_TRADE_USD: { schema: usd.optional(), meaning: 'Most USD of one real trade' },
  MAX_DAILY_USD: {
    schema: usd.optional(),
    meaning: 'Most USD of the real trades of an account in any 24 hours',
  },
  MAX_FEE_GWEI: {
    schema: gwei.optional(),
    meaning:
      'Most gwei for a unit of gas that a transaction may offer; unset, ten times its first offer is the only limit',
  },
  FAUCET_AMOUNT: { schema: units.default('10'), meaning: 'One payment of the faucet, in native currency' },
  FAUCET_COOLDOWN_SECONDS: {
    schema: whole(1, 31_536_000).default(86_400),
    meaning: 'Seconds between two payments to one address',
  },
  FAUCET_TIERS: {
    schema: faucetTiers.optional(),
    meaning: 'Other terms for callers with an API key, as tier=amount/seconds with commas',
  },
  FAUCET_DAILY_CAP: {
    schema: units.default('100000'),
    meaning: 'Most that the faucet pays in one UTC day, in native currency',
  },
  FAUCET_KEY: {
    schema: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lower-case hex digits')
      .optional(),
    meaning: 'Private key that pays the faucet of a public chain; unset, it is off',
    secret: true,
  },
  CAPTCHA_VERIFY_URL: {
    schema: httpUrl.optional(),
    meaning: 'Verifier of the captcha of a claim (hCaptcha, Turnstile or reCAPTCHA); unset, none is required',
  },
  CAPTCHA_SECRET: {
    schema: z.string().min(1).max(500).optional(),
    meaning: 'Secret at that verifier',
    secret: true,
  },
  CAPTCHA_SITE_KEY: {
    schema: z
      .string()
      .regex(/^[\w.-]{1,200}$/, 'must be letters, digits, _, - or dots, as the verifier gives it')
      .optional(),
    meaning: 'Public key at that verifier, for the page /faucet',
  },
  TRADE_TOKENS: {
    schema: list.pipe(z.array(tokenAddress).min(1)).optional(),
    meaning:
      'The only tokens that real trades may sell or buy: addresses of listChains with commas, ' +
      '0x0000000000000000000000000000000000000000 for the native currency; unset allows all',
  },
  TRADE_VENUES: {
    schema: list.pipe(z.array(oneOf('uniswap_v2', 'uniswap_v3', 'wrapped_native')).min(1)).optional(),
    meaning:
      'The only venues that quotes and real trades may use, with commas: uniswap_v2, uniswap_v3, wrapped_native; unset allows all',
  },
  TRADE_CHAINS: {
    schema: list.pipe(z.array(chainNumber).min(1)).optional(),
    meaning: 'Ids of the only chains for real trades, with commas; unset allows all',
  },
  MASTER_KEY: {
    schema: masterKey.optional(),
    meaning: 'Key that encrypts wallet keys, 64 hex digits; unset, one is made in DATA_DIR',
    secret: true,
  },
  PREVIOUS_MASTER_KEY: {
    schema: masterKey.optional(),
    meaning: 'Other master key of a rotation, which opens wallet keys; a start with it encrypts them anew',
    secret: true,
  },
  TOKEN_SECRET: {
    schema: list.pipe(z.array(masterKey).min(1)).optional(),
    meaning:
      'Secret of 64 hex digits that signs tokens, several with commas for rotation: the first signs, all verify; unset, one is made in DATA_DIR as token-keys.json',
    secret: true,
  },
  SIGNER_URL: {
    schema: httpUrl.optional(),
    meaning: 'JSON-RPC of a remote signer, such as web3signer or clef',
    secret: true,
  },
  ...providerSettings,
  ...assistantSettings,
  TRUSTED_PROXIES: {
    schema: list.pipe(z.array(network)).optional(),
    meaning: 'Addresses or networks whose forwarding headers are trusted, with commas',
  },
  CORS_ORIGINS: {
    schema: list.pipe(z.array(origin)).optional(),
    meaning: 'Origins that browsers may call from, with commas, such as https://app.example; unset allows none',
  },
  ALLOWED_HOSTS: {
    schema: list
      .pipe(z.array(z.string().regex(/^(\*|[A-Za-z0-9._-]{1,253})$/, 'must be host names without ports, or *')).min(1))
      .optional(),
    meaning:
      "Host names under which the HTTP ports serve, with commas, beside addresses, localhost and PUBLIC_URL's; * allows any",
  },
  TLS_CERT: {
    schema: z.string().optional(),
    meaning: 'Certificate file (PEM) that turns on TLS for HTTP, gRPC and JSON-RPC',
  },
  TLS_KEY: { schema: z.string().optional(), meaning: 'Key file (PEM) of that certificate' },
  LOG_LEVEL: {
    schema: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
    meaning: 'Lowest level of log lines: debug logs each request, trace each step',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    meaning: 'OpenTelemetry collector for traces, by OTLP over HTTP; unset sends none',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).max(200).default('trident'),
    meaning: 'Name of this service in traces',
  },
} as const satisfies Record<string, Setting>
