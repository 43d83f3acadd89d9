import type { contract } from '../../contract/index.ts'
import { DomainError } from '../errors.ts'
import type { Handler } from '../handler.ts'
import { routeIntent, teams } from '../intent/route-intent.ts'
import { vocabularyOf } from '../intent/vocabulary.ts'
import { taxSentence } from './deliver.ts'
import { formatUnits } from './money.ts'
import { questionFor } from './preview-intent.ts'
import { makeQuote, presentQuote, type QuotePorts } from './quote.ts'
import { assess, type RiskReport } from './risk-checks.ts'
import { chainOf, knownToken } from './tokens.ts'

type Quote = ReturnType<typeof presentQuote>

/** Routes the text; with a swap it also quotes it and assesses its risk. A part that fails is told in the summary. */
export const previewRun: Handler<typeof contract.trading.previewRun, QuotePorts> = async (ports, input, call) => {
  const routed = routeIntent(input.text, vocabularyOf(ports.chains), ports.clock.now())
  const { intent } = routed
  const answer = { intent, team: teams[intent] }
  const swap = input.evm_input
  if (swap === undefined) {
    const question = questionFor(routed)
    return { ...answer, summary: question ?? 'Send evm_input with the swap to have it quoted and its risk assessed.' }
  }
  const chain = chainOf(ports.chains, swap.chain_id, 'evm_input.chain_id')
  const stored = await makeQuote(ports, call.principal.userId, swap, { path: 'evm_input' })
  const quote = presentQuote(stored, ports.chains)
  const { tokenIn, tokenOut, amountIn } = stored
  const trade = { tokenIn, tokenOut, amountIn, pools: stored.route.pools }
  const tokens = [tokenIn, tokenOut]
  const sold = knownToken(chain, tokenIn)
  const paid = `${formatUnits(amountIn, sold?.decimals ?? 0)} ${sold?.symbol ?? tokenIn}`
  const risk = await assess({ chain, tokens, trade, checks: [], thresholds: input.thresholds }).catch(
    (error: unknown) => {
      if (error instanceof DomainError && error.code === 'UNAVAILABLE') return null
      throw error
    },
  )
  return {
    ...answer,
    summary: summaryOf(quote, paid, knownToken(chain, tokenOut)?.symbol ?? tokenOut, risk),
    quote,
    ...(risk === null ? {} : { risk }),
  }
}

function summaryOf(quote: Quote, paid: string, symbolOut: string, risk: RiskReport | null): string {
  const price = `${paid} would yield ${quote.expected_out} ${symbolOut} on ${quote.venue} over ${quote.route.length - 1} pool(s), price impact ${quote.price_impact_bps} bps.${taxSentence(quote.transfer_tax_bps)}`
  if (risk === null) return `${price} The risk could not be assessed.`
  const flags = risk.flags.length === 0 ? '' : `; flags: ${risk.flags.join(', ')}`
  return `${price} The risk is ${risk.level} (score ${risk.aggregate_score ?? 'unknown'} of 100${flags}).`
}
