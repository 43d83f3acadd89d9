import { z } from 'zod'
import { timestamp } from './primitives.ts'
import { amount, signedAmount } from './values.ts'

/** A position at current prices. */
export const position = z
  .object({
    token_symbol: z.string().describe('Symbol of the token'),
    quantity: z.number().describe('Quantity that is held, in units of the token'),
    realized_pnl_usd: z.number().describe('Profit of the sold quantity, in US dollars'),
    quantity_decimal: amount.describe('quantity, exact'),
    realized_pnl_usd_decimal: signedAmount.describe('realized_pnl_usd, exact'),
    agent: z.string().describe('Label that the caller chose to book it under; it proves no identity'),
    wallet_address: z.string().describe('Wallet that holds it'),
    chain_id: z.int().describe('Chain of the token'),
    token_address: z.string().describe('Address of the token'),
    cost_basis_usd_per_unit: z.number().describe('Average cost of a unit, in US dollars'),
    cost_basis_usd_per_unit_decimal: amount.describe('cost_basis_usd_per_unit, exact'),
    last_price_usd: z
      .number()
      .describe('Price of a unit in US dollars; null without a feed, or with a feed older than its heartbeat')
      .nullable(),
    last_price_usd_decimal: amount.describe('last_price_usd, exact').nullable(),
    market_value_usd: z.number().describe('Value in US dollars; null where last_price_usd is null').nullable(),
    market_value_usd_decimal: amount.describe('market_value_usd, exact').nullable(),
    unrealized_pnl_usd: z
      .number()
      .describe('Value minus cost in US dollars; null where last_price_usd is null')
      .nullable(),
    unrealized_pnl_usd_decimal: signedAmount.describe('unrealized_pnl_usd, exact').nullable(),
    gas_usd: z
      .number()
      .describe(
        'Cost of the gas that realized_pnl_usd is after, in US dollars: that of every transaction which the agent sent ' +
          'from the wallet, mined without effect or not. Only the position in the native currency pays gas, so it is 0 ' +
          'for other tokens, whose profits have none; unrealized_pnl_usd never has any',
      ),
    gas_usd_decimal: signedAmount.describe('gas_usd, exact'),
    updated_at: timestamp.describe('When the position last changed'),
  })
  .meta({ id: 'Position', description: 'A token in a wallet, booked under an agent at average cost' })

/** A position as the books have it, which does not depend on prices. */
export const bookedPosition = position
  .omit({
    last_price_usd: true,
    last_price_usd_decimal: true,
    market_value_usd: true,
    market_value_usd_decimal: true,
    unrealized_pnl_usd: true,
    unrealized_pnl_usd_decimal: true,
    gas_usd: true,
    gas_usd_decimal: true,
  })
  .meta({ id: 'BookedPosition', description: 'A position as the books have it, without prices' })
