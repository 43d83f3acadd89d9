import { z } from 'zod'
import { operatorReads } from './operator-reads.ts'
import { bounds } from './shared/limits.ts'
import { operation } from './shared/operation.ts'
import { checkedAddress, inputText, timestamp } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { haltScope, wallet, walletRef } from './shared/values.ts'

const halt = z
  .object({
    scope: haltScope,
    id: z.string().describe('Chain id or wallet address; absent for global').optional(),
    created_at: timestamp.describe('Since when it is in force'),
    reason: z
      .string()
      .describe(
        'Why the gateway itself set it, such as a final block that left the chain; absent where an operator did',
      )
      .optional(),
  })
  .meta({ id: 'TradingHalt', description: 'A halt of trading' })

const haltInput = z
  .strictObject({
    scope: haltScope,
    id: inputText
      .min(1)
      .max(100)
      .describe('Chain id or wallet address; required unless the scope is global')
      .optional(),
  })
  .refine((input) => input.scope === 'global' || input.id !== undefined, {
    path: ['id'],
    message: 'is required unless the scope is global',
  })
  .refine((input) => input.scope !== 'global' || input.id === undefined, {
    path: ['id'],
    message: 'must be left out with the scope global; send the scope chain or wallet to halt only that',
  })

const haltsOutput = z.object({ halts: z.array(halt).describe('The halts that are in force') })

const sandboxMode = z
  .enum(['moving', 'still'])
  .meta({ message: 'SandboxMarketMode' })
  .describe('moving: prices move by themselves; still: they stay where they are')
const sandboxSpeed = z.number().describe('How many times faster than a real market its prices move')

const sandboxPrice = z
  .object({
    symbol: z.string().describe('ETH or BTC'),
    price_usd: z.number().describe('US dollars for one unit'),
  })
  .meta({ id: 'SandboxPrice', description: 'A price of the embedded market' })

const sandboxMarket = z
  .object({
    mode: sandboxMode,
    speed: sandboxSpeed,
    prices: z.array(sandboxPrice).describe('The prices at effective_at'),
    effective_at: timestamp.describe(
      'From then on this holds. The feeds have it one or two blocks later, the pools as soon, the exchange at once',
    ),
  })
  .meta({ id: 'SandboxMarket', description: 'How the market of the embedded chain runs, and its prices' })

export const operator = {
  ...operatorReads,

  haltTrading: operation({
    kind: 'unary',
    summary: 'Stop real trades everywhere, on a chain or for a wallet',
    description: 'It applies to every replica and across restarts until it is lifted. Simulations continue.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/trading/halt' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: {
      input: { scope: 'wallet', id: sample.wallet },
      output: { halts: [{ scope: 'wallet', id: sample.wallet, created_at: sample.at }] },
    },
  }),

  resumeTrading: operation({
    kind: 'unary',
    summary: 'Lift a halt of trading',
    description: 'Lifting a halt that is not in force has no effect.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/trading/resume' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: { input: { scope: 'global' }, output: { halts: [] } },
  }),

  listHalts: operation({
    kind: 'unary',
    summary: 'List the halts of trading that are in force',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'GET', path: '/api/v1/operator/trading/halts' },
    input: z.strictObject({}),
    output: haltsOutput,
    errors: [],
    example: { input: {}, output: { halts: [{ scope: 'chain', id: String(sample.chainId), created_at: sample.at }] } },
  }),

  grantWallet: operation({
    kind: 'unary',
    summary: 'Give an account a wallet whose key a remote signer holds',
    description:
      'The signer at SIGNER_URL must list the address, and only one account can have it: no other account can use ' +
      'or see it. The wallet counts towards the ten wallets of the account.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/wallets' },
    input: z.strictObject({
      email: z.email().max(254).describe('E-mail address of the account'),
      wallet_ref: walletRef.describe('Name for the wallet'),
      address: checkedAddress.describe('An account of the remote signer'),
    }),
    output: wallet,
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    example: {
      input: { email: 'ada@example.com', wallet_ref: 'vault', address: sample.wallet },
      output: { wallet_ref: 'vault', address: sample.wallet, funded: false, custody: 'remote_signer' },
    },
  }),

  setSandboxPrice: operation({
    kind: 'unary',
    summary: 'Set a price of the embedded market',
    description:
      'Feeds, pools and exchange follow by real transactions. A moving market goes on from there, and the change fades ' +
      'into its own prices within weeks of them. A price can be ten times higher or lower than the first one.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/sandbox/price' },
    input: z.strictObject({
      symbol: z
        .enum(['ETH', 'BTC', 'WETH', 'WBTC'])
        .meta({ message: 'SandboxSymbol' })
        .describe('ETH or BTC; a wrapped token has the price of what it wraps'),
      price_usd: z.number().min(0.01).max(1e9).describe('US dollars for one unit'),
    }),
    output: sandboxMarket,
    errors: ['FAILED_PRECONDITION', 'UNAVAILABLE'],
    example: {
      input: { symbol: 'ETH', price_usd: 2_400 },
      output: {
        mode: 'moving',
        speed: 4,
        prices: [
          { symbol: 'ETH', price_usd: 2_400 },
          { symbol: 'BTC', price_usd: 60_124.5 },
        ],
        effective_at: sample.at,
      },
    },
  }),

  setSandboxMarket: operation({
    kind: 'unary',
    summary: 'Let the prices of the embedded market move or stand still, or change their speed',
    description: 'It outlasts a restart, unless SANDBOX_MARKET or SANDBOX_SPEED is changed for it.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/sandbox/market' },
    input: z
      .strictObject({
        mode: sandboxMode.optional(),
        speed: sandboxSpeed.min(bounds.sandboxSpeed.least).max(bounds.sandboxSpeed.most).optional(),
      })
      .refine((input) => input.mode !== undefined || input.speed !== undefined, {
        path: ['mode'],
        message: 'is required unless there is a speed',
      }),
    output: sandboxMarket,
    errors: ['FAILED_PRECONDITION', 'UNAVAILABLE'],
    example: {
      input: { mode: 'still' },
      output: {
        mode: 'still',
        speed: 4,
        prices: [
          { symbol: 'ETH', price_usd: 3_011.27 },
          { symbol: 'BTC', price_usd: 60_124.5 },
        ],
        effective_at: sample.at,
      },
    },
  }),
}
