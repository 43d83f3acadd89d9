import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import type { Slots } from '../../intent/slots.ts'
import { taxSentence } from '../../quoting/deliver.ts'
import { rows, text } from '../questions/context.ts'
import { amount, usd } from '../questions/figures.ts'
import type { ToolResult } from '../questions/tool-calls.ts'

// The sentences of the embedded assistant. They are made from tool results alone, and name the source and the next step.

export function quoteText(paid: string, tokenOut: string, answer: ToolResult): string {
  return (
    `${paid} gives about ${text(answer, 'expected_out')} ${tokenOut} ` +
    `on ${text(answer, 'venue')}, at a price impact of ${text(answer, 'price_impact_bps')} bps on top of the pool fee.${taxSentence(answer.transfer_tax_bps)} ` +
    `At ${text(answer, 'slippage_bps')} bps slippage you get at least ${text(answer, 'minimum_out')}.`
  )
}

/** Added where the quote is on another venue than the caller named. */
export const venueText = ' I always use the pool with the best price that I know, whatever venue you name.'

/** Asks for what a swap lacks; null where it lacks nothing. */
export function openSwapText(slots: Slots): string | null {
  const missing = [
    slots.amount === null && slots.share === null ? 'how much' : null,
    slots.token_in === null ? 'which token you pay with' : null,
    slots.token_out === null ? 'which token you want' : null,
  ].filter((item) => item !== null)
  if (missing.length === 0) return null
  return `I can quote that. Please tell me ${missing.join(' and ')}, for example "quote 1 WETH to USDC".`
}

export function tradeRiskText(answer: ToolResult): string {
  return `The risk of this trade is ${text(answer, 'level')} (score ${text(answer, 'aggregate_score')} of 100, where 0 is safe).${reasonsOf(answer)}`
}

export function riskText(tokens: string, answer: ToolResult): string {
  const checks = rows(answer, 'checks').map((check) => `${text(check, 'name')} ${text(check, 'result')}`)
  const flags = Array.isArray(answer.flags) && answer.flags.length > 0 ? ` Flags: ${answer.flags.join(', ')}.` : ''
  return (
    `The risk of ${tokens} is ${text(answer, 'level')} (score ${text(answer, 'aggregate_score')} of 100, where 0 is safe). ` +
    `Checks: ${checks.join(', ')}.${flags}${reasonsOf(answer)} This is read from chain data at the latest block and can change with the next one.`
  )
}

/** The first three reasons of a risk report, each a sentence. */
function reasonsOf(answer: ToolResult): string {
  const reasons = Array.isArray(answer.reasons) ? answer.reasons.slice(0, 3) : []
  return reasons.map((reason) => ` ${String(reason)}`).join('')
}

export function positionsText(answer: ToolResult): string {
  const lines = rows(answer, 'items').map(
    (row) =>
      `${amount(row.quantity_decimal)} ${text(row, 'token_symbol')} held by ${text(row, 'agent')}, unrealized ${usd(row.unrealized_pnl_usd_decimal)} USD, realized ${usd(row.realized_pnl_usd_decimal)} USD.\n`,
  )
  return lines.length === 0 ? 'You hold no position yet. Trade first: ask me for a quote.' : lines.join('')
}

export function chainsText(answer: ToolResult): string {
  const lines = rows(answer, 'items').map((chain) => {
    const tokens = rows(chain, 'tokens').map((token) => text(token, 'symbol'))
    const venues = Array.isArray(chain.venues) ? chain.venues.join(', ') : ''
    return `${text(chain, 'name')} (${text(chain, 'chain_id')}): ${[text(chain, 'native_symbol'), ...tokens].join(', ')}; traded on ${venues}.\n`
  })
  return lines.join('')
}

export function paymentText({ recipient }: Slots): string {
  const way = recipient === null ? '' : ` To pay ${recipient}, export the wallet and use it elsewhere.`
  return `I swap tokens; I cannot send, bridge, stake or lend them.${way} Shall I quote a swap, for example "quote 1 WETH to USDC"?`
}

export function declinedText(): string {
  return 'Nothing is quoted. What shall I do instead?'
}

export function helloText(): string {
  return 'Hello! I am the embedded-rules assistant, not a language model. I can quote and prepare swaps, read prices and balances, check the risk of tokens and look up chains and protocols. What would you like?'
}

export function thanksText(): string {
  return 'You are welcome. Ask again whenever you like: a quote, a price, a risk check or your positions.'
}

export function helpText(vocabulary: Vocabulary): string {
  return (
    'I am the embedded-rules assistant, not a language model; I answer from tools alone. Try "quote 1 WETH to USDC", "sell half of my WETH for USDC", ' +
    '"is RUG safe?", "price of WBTC", "tvl of sandbox", "my positions". A trade happens only when you confirm its quote by its id. ' +
    `Tokens I know: ${[...vocabulary.symbols].join(', ')}.`
  )
}
