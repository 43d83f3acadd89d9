import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { operation } from '../shared/operation.ts'
import { checkedAddress } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { amount, chainId, walletRef } from '../shared/values.ts'

const usd = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, 'an amount in USD such as 250 or 250.50')
const venue = z.enum(['uniswap_v2', 'uniswap_v3', 'wrapped_native']).meta({ proto: 'text' })

const meanings = {
  max_trade_usd: 'Highest value of one trade in USD; absent: no cap',
  max_daily_usd:
    'Highest total value of the trades in any 24 hours in USD, each counted from when it was queued; trades without effect do not count. Absent: no cap',
  tokens:
    'The only tokens of trading.listChains that it may sell or buy, by address. The native currency is a separate token, ' +
    '0x0000000000000000000000000000000000000000: allowing its wrapped token does not allow it. Absent or empty: all',
  venues: 'The only venues of trading.listChains that it may use, wrapped_native included; absent or empty: all',
  chains: 'Ids of the only chains it may trade on, of those in trading.listChains; absent or empty: all',
}

const policyFields = z.strictObject({
  wallet_ref: walletRef.describe('Wallet of the limits'),
  max_trade_usd: usd.describe(meanings.max_trade_usd).optional(),
  max_daily_usd: usd.describe(meanings.max_daily_usd).optional(),
  tokens: boundedArray(checkedAddress, 100).describe(meanings.tokens).optional(),
  venues: boundedArray(venue, 10).describe(meanings.venues).optional(),
  chains: boundedArray(chainId, 20).describe(meanings.chains).optional(),
  unlimited: z
    .boolean()
    .describe('True removes every limit of the wallet; it cannot be combined with a limit')
    .optional(),
})

/** An empty list is no limit: protobuf cannot distinguish it from an absent one. Removing all limits needs an explicit field. */
const policyInput = policyFields.superRefine(({ wallet_ref: _, unlimited = false, ...limits }, context) => {
  const named = Object.values(limits).some((limit) => limit !== undefined && limit.length > 0)
  if (named !== unlimited) return
  const message = named
    ? 'must not be true together with a limit'
    : 'name at least one limit, or send true to remove all of them'
  context.addIssue({ code: 'custom', path: ['unlimited'], message })
})

const policy = z
  .object({
    wallet_ref: z.string().describe('Wallet of the limits'),
    max_trade_usd: amount.describe(meanings.max_trade_usd).optional(),
    max_daily_usd: amount.describe(meanings.max_daily_usd).optional(),
    tokens: z.array(z.string()).describe(meanings.tokens).optional(),
    venues: z.array(z.string()).describe(meanings.venues).optional(),
    chains: z.array(z.int()).describe(meanings.chains).optional(),
    used_today_usd: amount
      .describe(
        'What it traded in the last 24 hours in USD, as max_daily_usd counts it; only where with_used asks for it',
      )
      .optional(),
  })
  .meta({ id: 'WalletPolicy', description: "The limits of a wallet's trades" })

const samplePolicy = {
  wallet_ref: 'default',
  max_trade_usd: '500',
  max_daily_usd: '2000.5',
  tokens: [sample.weth, sample.usdc],
  venues: ['uniswap_v3' as const],
  chains: [sample.chainId],
}

/** Limits that an owner sets with the user token. A session token, which trades, cannot remove them. */
export const tradingPolicy = {
  setWalletPolicy: operation({
    kind: 'unary',
    summary: 'Limit what a wallet may trade',
    description:
      'Replaces all limits of the wallet. An absent field sets no limit, and unlimited removes all of them. The limits apply to real trades in addition to those of ' +
      'the gateway. They need the user token, so that a session token, which trades, cannot remove them.',
    auth: 'user',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/wallets/{wallet_ref}/policy' },
    input: policyInput,
    output: policy,
    errors: ['NOT_FOUND'],
    example: { input: samplePolicy, output: samplePolicy },
  }),

  getWalletPolicy: operation({
    kind: 'unary',
    summary: 'Read what a wallet may trade',
    auth: 'any',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/wallets/{wallet_ref}/policy' },
    input: z.strictObject({
      wallet_ref: walletRef.describe('Wallet of the limits'),
      with_used: z.boolean().describe('true adds used_today_usd').default(false),
    }),
    output: policy,
    errors: ['NOT_FOUND'],
    example: {
      input: { wallet_ref: 'default', with_used: true },
      output: { ...samplePolicy, used_today_usd: '1248.18' },
    },
  }),
}
