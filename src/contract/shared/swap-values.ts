import { z } from 'zod'
import { boundedArray } from './bounded.ts'
import { bounds } from './limits.ts'
import { checkedAddress, freeObject, inputText, positiveDecimal, timestamp, timestampInput } from './primitives.ts'
import { amount, chainId, quoteId, walletRef } from './values.ts'

/** A swap, its quote and its risk report, as inputs and outputs of several operations. */

/** The address by which the native currency is traded. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'

const native = `${nativeAddress} is the native currency`

export const swapInput = z
  .strictObject({
    chain_id: chainId,
    token_in_address: checkedAddress.describe(`Token to sell; ${native}`),
    token_out_address: checkedAddress.describe(`Token to buy; ${native}`),
    amount_in: positiveDecimal.describe('Amount to sell, in the unit of amount_in_currency'),
    amount_in_currency: z
      .enum(['token_units', 'base_units', 'usd'])
      .meta({ message: 'AmountCurrency' })
      .describe(
        'Unit of amount_in: units of the token to sell, its smallest units, or its value in US dollars by its feed',
      )
      .default('token_units'),
    slippage_bps: z.int32().min(0).max(bounds.slippageBps).describe('Most loss against the quote, in basis points'),
    simulate_only: z
      .boolean()
      .describe('Only for execution: false requests a real trade, absent or true a simulation')
      .optional(),
  })
  .meta({ id: 'SwapInput', description: 'A swap of one token for another' })

/** The swap of a quote, as it was requested: input of a further request. */
export const quotedSwap = swapInput
  .omit({ simulate_only: true })
  .extend({ amount_in_currency: swapInput.shape.amount_in_currency.unwrap() })
  .meta({ id: 'QuotedSwap', description: 'The swap that a quote prices' })

export const quoteInput = z.strictObject({
  input: swapInput,
  wallet_ref: walletRef.describe('Wallet that will trade: only venues that its limits allow are used').optional(),
})

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
    max_tax_bps: limitBps('Highest tax on buying, transferring or selling a token').optional(),
    max_price_deviation_bps: limitBps('Largest difference between the pools and the feeds').optional(),
    max_whale_bps: limitBps('Largest recent swap relative to the pools, or transfer relative to the supply').optional(),
  })
  .meta({ id: 'RiskThresholds', description: 'Thresholds beyond which a quote counts as risky' })

export const quote = z
  .object({
    route: z.array(z.string()).describe('Addresses of the tokens on the route, first to last'),
    expected_out: amount.describe('Amount that should arrive in the wallet, in units of the token to buy'),
    price_impact_bps: z.int32().describe('Price impact in basis points, without the pool fee').optional(),
    slippage_bps: z.int32().describe('Most loss against expected_out, in basis points'),
    fees: z
      .object({
        protocol_fee: amount.describe('Fee of the pools, in units of the token in'),
        gas_estimate: amount.describe('Expected gas, in gas units'),
      })
      .meta({ id: 'QuoteFees', description: 'The costs of the swap' }),
    gas_estimate: amount.describe('Expected gas, in gas units'),
    venue: z.string().describe('Exchange that would fill the swap'),
    quote_id: z.string().describe('Id to assess or execute this quote'),
    expires_at: timestamp.describe('When the quote expires'),
    minimum_out: amount
      .describe('Least amount that may arrive in the wallet after slippage, in units of the token to buy')
      .optional(),
    warning: z.string().describe('What to know before trading, such as an amount that empties a pool').optional(),
    transfer_tax_bps: z
      .int32()
      .describe(
        'Tax of the tokens themselves on what the pools pay, in basis points; expected_out is net of it. Absent where it could not be measured',
      )
      .optional(),
  })
  .meta({ id: 'Quote', description: 'The current price of a swap' })

/** A quote that is not stored, so that it cannot be traded. */
export const liveQuote = quote
  .omit({ quote_id: true, expires_at: true })
  .extend({ block_number: z.int().describe('Block of the price') })
  .meta({ id: 'LiveQuote', description: 'The price of a swap at a block' })

/** A quote that a caller sends back; it may have every field of a quote. */
export const quoteToAssess = z
  .strictObject({
    expected_out: amount.describe('Expected yield of the swap, in units of the token to buy'),
    slippage_bps: z.int32().min(0).max(10_000).describe('Most loss against expected_out, in basis points'),
    venue: inputText.min(1).max(64).describe('Exchange that would fill the swap'),
    quote_id: quoteId,
    expires_at: timestampInput.describe('When the quote expires'),
    route: boundedArray(checkedAddress, 10).describe('Addresses of the tokens on the route, first to last').optional(),
    price_impact_bps: z.int32().min(-10_000).max(10_000).describe('Price impact in basis points').optional(),
    fees: z
      .strictObject({
        protocol_fee: amount.describe('Fee of the pools, in units of the token in'),
        gas_estimate: amount.describe('Expected gas, in gas units'),
      })
      .meta({ id: 'QuoteToAssessFees', description: 'The costs of the swap' })
      .optional(),
    gas_estimate: amount.describe('Expected gas, in gas units').optional(),
    minimum_out: amount.describe('Least yield of the swap after slippage, in units of the token to buy').optional(),
    warning: inputText.max(1_000).describe('The warning of the quote').optional(),
    transfer_tax_bps: z
      .int32()
      .min(0)
      .max(10_000)
      .describe('Tax of the tokens themselves on what the pools pay, in basis points')
      .optional(),
  })
  .meta({ id: 'QuoteToAssess', description: 'A quote as it was returned; the fields after expires_at may be left out' })

export const riskCheckNames = ['rug', 'whale_flow', 'price_sanity'] as const

export const riskReport = z
  .object({
    level: z
      .enum(['low', 'medium', 'high', 'unknown'])
      .meta({ message: 'RiskLevel' })
      .describe('The verdict; unknown where a check could not run'),
    aggregate_score: z.number().describe('0 (safe) to 100').optional(),
    checks: z
      .array(
        z
          .object({
            name: z.enum(riskCheckNames).meta({ message: 'RiskCheckName' }).describe('Name of the check'),
            result: z
              .enum(['pass', 'warn', 'fail', 'unknown'])
              .meta({ message: 'RiskCheckResult' })
              .describe('Its result; unknown where it could not run'),
            details: freeObject.describe(
              'The facts of the result: reasons in words, the evidence, its block and its source',
            ),
          })
          .meta({ id: 'RiskCheck', description: 'One check of a risk report' }),
      )
      .describe('The requested checks'),
    flags: z.array(z.string()).describe('Names of the findings, such as quote_unverified'),
    reasons: z.array(z.string()).describe('The findings in sentences').optional(),
  })
  .meta({ id: 'RiskReport', description: 'The risk of a swap' })
