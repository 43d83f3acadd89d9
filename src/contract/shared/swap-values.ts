import { z } from 'zod'
import { bounds } from './limits.ts'
import { address, freeObject, positiveDecimal, timestamp, timestampInput } from './primitives.ts'
import { amount, chainId, quoteId } from './values.ts'

/** A swap, its quote and the report on its risk, as several operations take and answer them. */

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
    slippage_bps: z.int32().min(0).max(bounds.slippageBps).describe('Most loss against the quote, in basis points'),
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
