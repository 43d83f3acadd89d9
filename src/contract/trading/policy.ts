import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { address } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { amount, chainId, walletRef } from '../shared/values.ts'

const usd = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, 'an amount in USD such as 250 or 250.50')
const venue = z.enum(['uniswap_v2', 'uniswap_v3', 'wrapped_native'])

const meanings = {
  max_trade_usd: 'Most that one trade may be worth in USD; absent: no cap',
  max_daily_usd:
    'Most that the trades of any 24 hours may be worth in USD, each from when it took its place in line, those without effect not counted; absent: no cap',
  tokens:
    'The only tokens of listChains it may sell or buy, by address; the native currency is one of its own, ' +
    '0x0000000000000000000000000000000000000000, and not allowed by its wrapped token. Absent or empty: all',
  venues: 'The only venues of listChains it may use, wrapped_native among them; absent or empty: all',
  chains: 'Ids of the only chains it may trade on, of those in listChains; absent or empty: all',
}

const policyFields = z.strictObject({
  wallet_ref: walletRef.describe('Wallet that the limits are of'),
  max_trade_usd: usd.describe(meanings.max_trade_usd).optional(),
  max_daily_usd: usd.describe(meanings.max_daily_usd).optional(),
  tokens: z.array(address).max(100).describe(meanings.tokens).optional(),
  venues: z.array(venue).max(10).describe(meanings.venues).optional(),
  chains: z.array(chainId).max(20).describe(meanings.chains).optional(),
  unlimited: z.boolean().describe('True lifts every limit of the wallet, and goes with none').optional(),
})

/** An empty list names nothing: protobuf cannot tell it from an absent one. So lifting is asked for in so many words. */
const policyInput = policyFields.superRefine(({ wallet_ref: _, unlimited = false, ...limits }, context) => {
  const named = Object.values(limits).some((limit) => limit !== undefined && limit.length > 0)
  if (named !== unlimited) return
  const message = named ? 'must not be true beside a limit' : 'name at least one limit, or send true to lift them all'
  context.addIssue({ code: 'custom', path: ['unlimited'], message })
})

const policy = z
  .object({
    wallet_ref: z.string().describe('Wallet that the limits are of'),
    max_trade_usd: amount.describe(meanings.max_trade_usd).optional(),
    max_daily_usd: amount.describe(meanings.max_daily_usd).optional(),
    tokens: z.array(z.string()).describe(meanings.tokens).optional(),
    venues: z.array(z.string()).describe(meanings.venues).optional(),
    chains: z.array(z.int()).describe(meanings.chains).optional(),
  })
  .meta({ id: 'WalletPolicy', description: 'What the trades of a wallet are limited to' })

const samplePolicy = {
  wallet_ref: 'default',
  max_trade_usd: '500',
  max_daily_usd: '2000.5',
  tokens: [sample.weth, sample.usdc],
  venues: ['uniswap_v3' as const],
  chains: [sample.chainId],
}

/** Limits that an owner sets with the user token, which those who trade with a session token cannot lift. */
export const tradingPolicy = {
  setWalletPolicy: operation({
    kind: 'unary',
    summary: 'Limit what a wallet may trade',
    description:
      'Replaces all limits of the wallet; what is absent is not limited, and unlimited alone lifts them all. They bind real trades beside the limits of ' +
      'the gateway, and take the user token, so that who trades with a session token cannot lift them.',
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
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/wallets/{wallet_ref}/policy' },
    input: z.strictObject({ wallet_ref: walletRef.describe('Wallet that the limits are of') }),
    output: policy,
    errors: ['NOT_FOUND'],
    example: { input: { wallet_ref: 'default' }, output: samplePolicy },
  }),
}
