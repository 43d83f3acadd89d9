import { z } from 'zod'
import { timestamp } from './primitives.ts'

/** The intent of a text in plain words. */

export const intent = z
  .enum(['research', 'trade', 'risk_assessment', 'quote'])
  .meta({ message: 'Intent' })
  .describe(
    'quote: a price, or what a swap would bring or cost; trade: to move money; risk_assessment: whether something is safe; research: anything else to know',
  )

export const team = z
  .enum(['research_team', 'trading_team', 'risk_team'])
  .meta({ message: 'AgentTeam' })
  .describe('trading_team takes quote and trade')

const texts = z.array(z.string())

/** The entities that a text names. All keys are always present: null, or an empty list, where the text names none. */
export const entities = z
  .object({
    amount: z.string().describe('The amount as an exact decimal; see amount_of and amount_currency').nullable(),
    amount_of: z
      .enum(['token_in', 'token_out'])
      .meta({ message: 'SwapSide' })
      .describe('The side that amount or share refers to; token_in where the text does not say')
      .nullable(),
    amount_currency: z
      .enum(['token_units', 'usd'])
      .meta({ message: 'AmountCurrency' })
      .describe('The unit of amount: units of the token, or its value in US dollars')
      .nullable(),
    share: z
      .string()
      .describe('Instead of amount: the share of the balance, as a fraction such as 1/2; 1/1 is all of it')
      .nullable(),
    token_in: z.string().describe('Token to pay with, as a symbol or an address').nullable(),
    token_out: z.string().describe('Token to receive').nullable(),
    tokens: texts.describe('Every token, in order'),
    chain: z.string().describe('The first chain, by its name or its id').nullable(),
    chains: texts.describe('Every chain, in order'),
    addresses: texts.describe('Every address'),
    recipient: z.string().describe('The address among them that receives the payment').nullable(),
    transactions: texts.describe('Every transaction hash'),
    slippage_bps: z.int32().describe('Slippage to allow, in basis points').nullable(),
    protocols: texts.describe('Protocols and venues, such as uniswap_v3'),
    wallet: z.string().describe('Name of the wallet to pay from').nullable(),
    since: timestamp.describe('Start of the period in question').nullable(),
    until: timestamp.describe('End of the period; null where it lasts to the present').nullable(),
  })
  .meta({
    proto: 'struct',
    description:
      'The entities that the text names. All keys are always present: null or an empty list where it names none',
  })
