import type { z } from 'zod'
import type { swapFields } from '../../../contract/agents/fields.ts'
import type { contract } from '../../../contract/index.ts'
import type { Tool, Words } from './run.ts'

type SwapFields = z.output<z.ZodObject<typeof swapFields>>
type Executed = z.output<typeof contract.trading.execute.output>

export const quote: Tool<'quote'> = async (fields, { call, words }) =>
  await call('trading.quote', () => ({ input: swapOf(fields, words), wallet_ref: fields.wallet_ref }))

export const assessRisk: Tool<'assess_risk'> = async (fields, { call }) =>
  await call('trading.assessRisk', () => fields)

export const simulate: Tool<'simulate'> = async (fields, { call, words }) => {
  const { wallet_ref, quote_id } = fields
  const request = () => ({ input: swapOf(fields, words), wallet_ref, ...(quote_id === undefined ? {} : { quote_id }) })
  return swapAnswer(await call('trading.execute', request))
}

/** The swap of flat fields, in the contract's form. Throws INVALID_ARGUMENT for a symbol that the chain does not list. */
export function swapOf(fields: SwapFields, words: Words) {
  const chainId = words.chainId(fields.chain_id)
  const token = (field: 'token_in_address' | 'token_out_address') => words.token(chainId, fields[field], field).address
  return {
    chain_id: chainId,
    token_in_address: token('token_in_address'),
    token_out_address: token('token_out_address'),
    amount_in: fields.amount_in,
    slippage_bps: fields.slippage_bps,
  }
}

/** What became of a swap, with its quote and its risk in flat fields. */
export function swapAnswer({ quote: bound, risk, ...answer }: Executed) {
  return {
    ...answer,
    ...(bound === undefined ? {} : { quote_id: bound.quote_id }),
    ...(risk === undefined ? {} : { risk_level: risk.level, risk_reasons: risk.reasons ?? risk.flags }),
  }
}
