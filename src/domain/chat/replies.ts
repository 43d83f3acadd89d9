import type { Slots } from '../intent/slots.ts'
import { taxSentence } from '../trading/deliver.ts'

/** What a tool answered: plain JSON data. */
export type ToolAnswer = Record<string, unknown>

/** The sentences of the embedded assistant, made from tool answers alone; each names its source and the next step. */
export function quoteText(asked: Slots, answer: ToolAnswer): string {
  return (
    `${asked.amount} ${asked.token_in} gives about ${text(answer, 'expected_out')} ${asked.token_out} ` +
    `on ${text(answer, 'venue')}, at a price impact of ${text(answer, 'price_impact_bps')} bps beside the pool fee.${taxSentence(answer.transfer_tax_bps)} ` +
    `At ${text(answer, 'slippage_bps')} bps slippage you get at least ${text(answer, 'minimum_out')}.`
  )
}

export function riskText(token: string, answer: ToolAnswer): string {
  const checks = rows(answer, 'checks').map((check) => `${text(check, 'name')} ${text(check, 'result')}`)
  const flags = Array.isArray(answer.flags) && answer.flags.length > 0 ? ` Flags: ${answer.flags.join(', ')}.` : ''
  const reasons = Array.isArray(answer.reasons) ? answer.reasons.slice(0, 3).map((reason) => ` ${String(reason)}`) : []
  return (
    `The risk of ${token} is ${text(answer, 'level')} (score ${text(answer, 'aggregate_score')} of 100, where 0 is safe). ` +
    `Checks: ${checks.join(', ')}.${flags}${reasons.join('')} All of it is read from chain data at this block; it is no promise about the next.`
  )
}

export function priceText(token: string, answer: ToolAnswer): string {
  return `${token} is ${text(answer, 'price')} USD by the on-chain feed ${text(answer, 'pair')}, updated ${text(answer, 'updated_at')}.`
}

export function tvlText(answer: ToolAnswer): string {
  const found = answer.result as ToolAnswer
  const made = found.synthetic === true ? ', a made-up figure of the sandbox' : ''
  return `${text(found, 'chain')} holds ${text(found, 'tvl_usd_decimal')} USD by ${text(answer, 'source')}${made}. For history, pools and yields, call the research preview or the tools of the TVL provider.`
}

export function balancesText(answer: ToolAnswer): string {
  const native = { symbol: answer.native_symbol, amount: answer.native_balance }
  const held = [native, ...rows(answer, 'tokens')].filter(({ amount }) => amount !== '0')
  const amounts = held.map((item) => `${text(item, 'amount')} ${text(item, 'symbol')}`)
  return `Wallet ${text(answer, 'address')}: ${amounts.join(', ') || 'empty'}.`
}

export function positionsText(answer: ToolAnswer): string {
  const lines = rows(answer, 'items').map(
    (row) =>
      `${text(row, 'quantity_decimal')} ${text(row, 'token_symbol')} held by ${text(row, 'agent')}, unrealized ${text(row, 'unrealized_pnl_usd_decimal')} USD, realized ${text(row, 'realized_pnl_usd_decimal')} USD.\n`,
  )
  return lines.length === 0 ? 'You hold no position yet. Trade first: ask me for a quote.' : lines.join('')
}

function text(answer: ToolAnswer, field: string): string {
  const value = answer[field]
  return value === undefined || value === null ? 'unknown' : String(value)
}

function rows(answer: ToolAnswer, field: string): ToolAnswer[] {
  const value = answer[field]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}
