import { z } from 'zod'
import { bounds } from './limits.ts'
import { address, freeObject, positiveDecimal, timestamp, timestampInput } from './primitives.ts'

/** Values and objects that several operations share. Objects with an `id` become named components on every protocol. */

/** A non-negative amount of any token that exists, up to 78 digits before and after the point. */
export const amount = z
  .string()
  .regex(
    /^\d{1,78}(\.\d{1,78})?$/,
    'a non-negative decimal such as 1.5, with at most 78 digits on each side of the point',
  )

/** As `amount`, with an optional minus sign. */
export const signedAmount = z.string().regex(/^-?\d{1,78}(\.\d{1,78})?$/, 'a decimal such as -1.5')

export const chainId = z.int().min(1).max(Number.MAX_SAFE_INTEGER).describe('Id of the chain, as listed by listChains')

export const walletRef = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, underscores or hyphens')
  .describe('Name of one of your wallets; every account has "default"')

export const wallet = z
  .object({
    wallet_ref: z.string().describe('Name of the wallet'),
    address: z.string().describe('Address of the wallet'),
    funded: z
      .boolean()
      .describe(
        'True once the starting money that the gateway gave it is mined; false for a wallet that gets none, such as one brought along',
      ),
    custody: z
      .enum(['gateway', 'remote_signer'])
      .describe('Who holds its key: the gateway, sealed, or a signer that the operator connected'),
    funding_error: z
      .string()
      .optional()
      .describe('Why its sandbox funds did not arrive, and when they are paid again; absent unless a payment failed'),
  })
  .meta({ id: 'Wallet', description: 'A wallet of the account' })

export const agentName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 letters, digits, dots, underscores or hyphens')
  .describe('Agent in whose name a trade is booked, such as trading_team')

export const quoteId = z.string().min(1).max(100).describe('quote_id of an earlier quote')

/** Text of a person, as long as a chat message may be. */
export const freeText = z.string().min(1).max(bounds.messageCharacters)

/** A chain's own name, the name the providers use for it, or its id as text. */
export const chainName = z.string().min(1).max(64).describe('Name or id of the chain')

/** Where a reader left a stream: the id of the last event it saw. */
export const lastEventId = z.string().max(100).describe('Id of the last event seen; the stream goes on after it')

export const source = z.string().describe('Where the data came from')

/** Age of a provider's answer: 0 where it was asked for just now. */
export const ageMs = z.int().min(0).describe('Age of the answer in milliseconds; 0 where it was just asked for')

export const latencyMs = z.int().min(0).describe('What asking took, in milliseconds')

const native = '0x0000000000000000000000000000000000000000 is the native currency itself'

export const swapInput = z
  .strictObject({
    chain_id: chainId,
    token_in_address: address.describe(`Token to sell; ${native}`),
    token_out_address: address.describe(`Token to buy; ${native}`),
    amount_in: positiveDecimal.describe('How much to sell, counted as amount_in_currency says'),
    amount_in_currency: z
      .enum(['token_units', 'base_units', 'usd'])
      .describe('What amount_in counts: units of the token in, its smallest units, or US dollars of it by its feed')
      .default('token_units'),
    slippage_bps: z.int32().min(0).max(5_000).describe('Most loss against the quote, in basis points'),
    simulate_only: z
      .boolean()
      .describe('Only execution reads it: false asks for a real trade, absent or true for a simulation')
      .optional(),
  })
  .meta({ id: 'SwapInput', description: 'A swap of one token for another' })

const limitBps = (what: string) => z.int32().min(0).max(10_000).describe(`${what}, in basis points`)

export const riskThresholds = z
  .strictObject({
    max_price_impact_bps: z
      .int32()
      .min(0)
      .max(10_000)
      .describe('Most price impact to accept, in basis points')
      .optional(),
    min_liquidity_usd: z.number().min(0).max(1e15).describe('Least liquidity of the pools, in US dollars').optional(),
    max_tax_bps: limitBps('Most tax on buying, moving or selling a token').optional(),
    max_price_deviation_bps: limitBps('Most difference between the pools and the feeds').optional(),
    max_whale_bps: limitBps('Largest recent swap against the pools, or transfer against the supply').optional(),
  })
  .meta({ id: 'RiskThresholds', description: 'Limits beyond which a quote counts as risky' })

export const quote = z
  .object({
    route: z.array(z.string()).describe('Addresses of the tokens the swap passes, first to last'),
    expected_out: amount.describe('What should arrive in the wallet, in units of the token out'),
    price_impact_bps: z.int32().describe('Price impact in basis points, the pool fee not counted').optional(),
    slippage_bps: z.int32().describe('Most loss against expected_out, in basis points'),
    fees: z
      .object({
        protocol_fee: amount.describe('Fee of the pools, in units of the token in'),
        gas_estimate: amount.describe('Expected gas, in gas units'),
      })
      .meta({ id: 'QuoteFees', description: 'What the swap costs' }),
    gas_estimate: amount.describe('Expected gas, in gas units'),
    venue: z.string().describe('Exchange that would fill the swap'),
    quote_id: z.string().describe('Id to assess or execute this quote by'),
    expires_at: timestamp.describe('When the quote stops being valid'),
    minimum_out: amount
      .describe('Least that may arrive in the wallet after slippage, in units of the token out')
      .optional(),
    transfer_tax_bps: z
      .int32()
      .describe(
        'What the tokens themselves keep of what the pools pay, in basis points; expected_out is without it. Absent where it could not be measured',
      )
      .optional(),
  })
  .meta({ id: 'Quote', description: 'The price of a swap at this moment' })

/** A quote sent back by a caller; every field a quote answers is understood. */
export const quoteToAssess = z
  .strictObject({
    expected_out: amount.describe('What the swap should yield, in units of the token out'),
    slippage_bps: z.int32().min(0).max(10_000).describe('Most loss against expected_out, in basis points'),
    venue: z.string().min(1).max(64).describe('Exchange that would fill the swap'),
    quote_id: quoteId,
    expires_at: timestampInput.max(40).describe('When the quote stops being valid'),
    route: z.array(address).max(10).describe('Addresses of the tokens the swap passes, first to last').optional(),
    price_impact_bps: z.int32().min(-10_000).max(10_000).describe('Price impact in basis points').optional(),
    fees: z
      .strictObject({
        protocol_fee: amount.describe('Fee of the pools, in units of the token in'),
        gas_estimate: amount.describe('Expected gas, in gas units'),
      })
      .meta({ id: 'QuoteToAssessFees', description: 'What the swap costs' })
      .optional(),
    gas_estimate: amount.describe('Expected gas, in gas units').optional(),
    minimum_out: amount.describe('Least the swap may yield after slippage, in units of the token out').optional(),
    transfer_tax_bps: z
      .int32()
      .min(0)
      .max(10_000)
      .describe('What the tokens themselves keep of what the pools pay, in basis points')
      .optional(),
  })
  .meta({ id: 'QuoteToAssess', description: 'A quote as it was given; the fields after expires_at may be left out' })

export const riskCheckNames = ['rug', 'whale_flow', 'price_sanity'] as const

export const riskReport = z
  .object({
    level: z
      .enum(['low', 'medium', 'high', 'unknown'])
      .describe('The verdict; unknown where a check could not be made'),
    aggregate_score: z.number().describe('0 (safe) to 100').optional(),
    checks: z
      .array(
        z
          .object({
            name: z.enum(riskCheckNames).describe('Which check'),
            result: z
              .enum(['pass', 'warn', 'fail', 'unknown'])
              .describe('Its result; unknown where it could not be made'),
            details: freeObject.describe(
              'The facts behind the result: reasons in words, the evidence, its block and its source',
            ),
          })
          .meta({ id: 'RiskCheck', description: 'One check of a risk report' }),
      )
      .describe('The checks that were asked for'),
    flags: z.array(z.string()).describe('Names of what stood out, such as quote_unverified'),
    reasons: z.array(z.string()).describe('What stood out, in sentences').optional(),
  })
  .meta({ id: 'RiskReport', description: 'How risky a swap looks' })

/** A call of a provider's tool; `examples` names some. */
export function toolInvocation(examples: string) {
  return z.strictObject({
    tool_name: z.string().min(1).max(64).describe(`Name of the tool, such as ${examples}`),
    arguments: freeObject.describe('Arguments of the tool'),
  })
}

export const toolResult = z
  .object({
    tool: z.string().describe('Name of the tool'),
    result: freeObject.describe('What the tool answered'),
    source: source.optional(),
    age_ms: ageMs.optional(),
    latency_ms: latencyMs.optional(),
  })
  .meta({ id: 'ToolResult', description: 'The answer of a tool' })

export const toolList = z.object({
  tools: z
    .array(
      z
        .object({
          name: z.string().describe('Name to call it by'),
          description: z.string().describe('What it answers'),
          input_schema: freeObject.describe('JSON Schema of its arguments'),
        })
        .meta({ id: 'ToolDescription', description: 'A tool and how to call it' }),
    )
    .describe('The tools there are'),
})

export const intent = z.enum(['research', 'trade', 'risk_assessment', 'quote']).describe('What the text asks for')
export const team = z.enum(['research_team', 'trading_team', 'risk_team']).describe('Who takes care of it')

export const executionStatus = z
  .enum(['success', 'simulated', 'pending', 'failed', 'rejected'])
  .describe(
    'success: mined; simulated: tried out; pending: on its way; failed: it would fail, or was mined without effect; ' +
      'rejected: refused by risk, limits or funds',
  )

/** Values of the examples: the embedded chain and one imagined account. */
export const sample = {
  chainId: 84_532,
  weth: '0xe620D977c3D3fb99B1d0f5c16812FfaED1aF59A8',
  usdc: '0xF94D88F3f42690d87dE340c95f3B2549D88DD8bF',
  wallet: '0x8a3f5c1e9b7d24608f1c3e5a7b9d0f2c4e6a8b1d',
  transaction: '0x3b1f7c2a9d4e6085b7c1f3a5d7e9102b4c6d8e0f1a3b5c7d9e0f2a4b6c8d1e3f',
  session: '6f1c2b7e-3d4a-4c58-9e10-7a5b3c2d1e0f',
  quote: 'b2d94f0a-6c1e-4f37-8a25-0e9d7c6b5a41',
  execution: '0c8e5a13-7b2f-4d96-a1e4-5f3d2c1b0a98',
  at: '2026-03-14T09:26:53.589Z',
  later: '2026-03-14T09:27:23.589Z',
} as const

export const sampleSwap = {
  chain_id: sample.chainId,
  token_in_address: sample.weth,
  token_out_address: sample.usdc,
  amount_in: '0.5',
  amount_in_currency: 'token_units',
  slippage_bps: 50,
} as const

export const sampleQuote = {
  route: [sample.weth, sample.usdc],
  expected_out: '1246.181903',
  price_impact_bps: 7,
  slippage_bps: 50,
  fees: { protocol_fee: '0.0015', gas_estimate: '142318' },
  gas_estimate: '142318',
  venue: 'uniswap_v3',
  quote_id: sample.quote,
  expires_at: sample.later,
  minimum_out: '1239.950993',
  transfer_tax_bps: 0,
}

export const sampleRisk: z.input<typeof riskReport> = {
  level: 'low',
  aggregate_score: 8,
  checks: [
    { name: 'rug', result: 'pass', details: { sell_tax_bps: 0 } },
    { name: 'whale_flow', result: 'pass', details: { large_transfers: 0 } },
    { name: 'price_sanity', result: 'pass', details: { deviation_bps: 12 } },
  ],
  flags: [],
}
