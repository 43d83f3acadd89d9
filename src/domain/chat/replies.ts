import { taxSentence } from '../trading/deliver.ts'

/** What a tool answered: plain JSON data. */
export type ToolAnswer = Record<string, unknown>

/** The sentences of the embedded assistant, made from tool answers alone; each names its source and the next step. */
export function quoteText(answer: ToolAnswer, trade: boolean): string {
  const next = trade
    ? `I do not trade from chat. To trade it, call execute with quote_id ${text(answer, 'quote_id')}, confirm true, simulate_only false, a wallet_ref and an idempotency_key.`
    : `The quote id is ${text(answer, 'quote_id')}; it is good until ${text(answer, 'expires_at')}.`
  return (
    `${text(answer, 'amount_in')} ${text(answer, 'symbol_in')} gives about ${text(answer, 'expected_out')} ${text(answer, 'symbol_out')} ` +
    `on ${text(answer, 'venue')}, at a price impact of ${text(answer, 'price_impact_bps')} bps beside the pool fee.${taxSentence(answer.transfer_tax_bps)} ` +
    `At ${text(answer, 'slippage_bps')} bps slippage you get at least ${text(answer, 'minimum_out')}. ${next}`
  )
}

export function riskText(answer: ToolAnswer): string {
  const checks = rows(answer, 'checks').map((check) => `${text(check, 'name')} ${text(check, 'result')}`)
  const flags = Array.isArray(answer.flags) && answer.flags.length > 0 ? ` Flags: ${answer.flags.join(', ')}.` : ''
  const reasons = Array.isArray(answer.reasons) ? answer.reasons.slice(0, 3).map((reason) => ` ${String(reason)}`) : []
  return (
    `The risk of ${text(answer, 'token')} is ${text(answer, 'level')} (score ${text(answer, 'aggregate_score')} of 100, where 0 is safe). ` +
    `Checks: ${checks.join(', ')}.${flags}${reasons.join('')} All of it is read from chain data at this block; it is no promise about the next.`
  )
}

export function priceText(answer: ToolAnswer): string {
  return `${text(answer, 'token')} is ${text(answer, 'price_usd')} USD by the on-chain feed ${text(answer, 'pair')}, updated ${text(answer, 'updated_at')}.`
}

export function tvlText(answer: ToolAnswer): string {
  const made = answer.synthetic === true ? ', a made-up figure of the sandbox' : ''
  return `${text(answer, 'chain')} holds ${text(answer, 'tvl_usd_decimal')} USD by ${text(answer, 'source')}${made}. For history, pools and yields, call the research preview or the tools of the TVL provider.`
}

export function balancesText(answer: ToolAnswer): string {
  const wallets = rows(answer, 'wallets').map((wallet) => {
    const amounts = rows(wallet, 'balances').map((item) => `${text(item, 'amount')} ${text(item, 'symbol')}`)
    return `Wallet ${text(wallet, 'wallet_ref')} (${text(wallet, 'address')}): ${amounts.join(', ') || 'empty'}.\n`
  })
  return wallets.length === 0 ? 'You have no wallet yet; create one with trading.createWallet.' : wallets.join('')
}

export function positionsText(answer: ToolAnswer): string {
  const lines = rows(answer, 'positions').map(
    (row) =>
      `${text(row, 'quantity')} ${text(row, 'symbol')} held by ${text(row, 'agent')}, unrealized ${text(row, 'unrealized_pnl_usd')} USD, realized ${text(row, 'realized_pnl_usd')} USD.\n`,
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
