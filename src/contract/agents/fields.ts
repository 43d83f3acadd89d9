import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { freeValue, positiveDecimal } from '../shared/primitives.ts'
import { quoteId, walletRef } from '../shared/values.ts'

/** Fields of several tools. */

const token = z.string().min(1).max(64)

export const chainChoice = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Id of the chain; absent: the default one')
  .optional()

/** A swap in flat fields. */
export const swapFields = {
  chain_id: chainChoice,
  token_in_address: token.describe('Token to sell: symbol or address'),
  token_out_address: token.describe('Token to buy: symbol or address'),
  amount_in: positiveDecimal.describe('Amount to sell, in units of that token, such as "0.5"'),
  slippage_bps: z.int().min(0).max(bounds.slippageBps).describe('Most loss against the quote, in 1/100 %').default(50),
}

export const tradingWallet = walletRef.describe('Wallet that trades').default('default')

export const givenQuote = quoteId.describe('Trade this quote, of the same swap; absent: quote first').optional()

/** Marks the rest of an answer that is longer than one answer may be. */
export const cursorField = z
  .string()
  .min(1)
  .max(300)
  .describe('next_cursor of the answer before, with the other fields unchanged')
  .optional()

export const nextCursor = z.string().optional()

/** An answer of no certain shape; a long one comes as pieces of its JSON text in `part`. */
export const freeAnswer = z.object({
  result: freeValue.optional(),
  part: z.string().optional(),
  ignored_fields: z.string().optional(),
  next_cursor: nextCursor,
})
