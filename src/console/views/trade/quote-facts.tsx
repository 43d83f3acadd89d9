import type { LiveQuote, Quote, SwapInput } from '../../../../generated/client/index.d.ts'
import { Amount } from '../../parts/values.tsx'
import { symbolAt } from '../../state/facts.ts'
import { less, percentOfBps, quotient, signOf } from '../../values/decimal.ts'
import { amountText, plainWord, usdText } from '../../values/words.ts'

type QuoteFactsProps = { quote: Omit<LiveQuote, 'block_number'> | Quote; input: SwapInput; wallet?: string }

/** What a swap takes and brings, and what it costs. */
export function QuoteFacts({ quote, input, wallet }: QuoteFactsProps) {
  const { chain_id, token_in_address, token_out_address, amount_in, amount_in_currency } = input
  const [sold, bought] = [symbolAt(chain_id, token_in_address), symbolAt(chain_id, token_out_address)]
  const inUsd = amount_in_currency === 'usd'
  return (
    <dl class="facts">
      <dt>You sell</dt>
      <dd>{inUsd ? `${sold} worth ${usdText(amount_in)}` : <Amount of={amount_in} unit={sold} show="whole" />}</dd>
      <dt>You receive about</dt>
      <dd>
        <b>
          <Amount of={quote.expected_out} unit={bought} />
        </b>
      </dd>
      {quote.minimum_out !== undefined && (
        <>
          <dt>At least</dt>
          <dd>
            <Amount of={quote.minimum_out} unit={bought} show="down" /> ({percentOfBps(quote.slippage_bps)} % less)
          </dd>
        </>
      )}
      {!inUsd && (
        <>
          <dt>Price</dt>
          <dd>{priceText([amount_in, sold], [quote.expected_out, bought])}</dd>
        </>
      )}
      {wallet !== undefined && (
        <>
          <dt>From wallet</dt>
          <dd>{wallet}</dd>
        </>
      )}
      <dt>Route</dt>
      <dd>
        {quote.route.map((address) => symbolAt(chain_id, address)).join(' → ')}, {plainWord(quote.venue)}
      </dd>
      {quote.price_impact_bps !== undefined && (
        <>
          <dt>Price impact</dt>
          <dd>{percentOfBps(quote.price_impact_bps)} %</dd>
        </>
      )}
      <dt>Fee of the pools</dt>
      <dd>
        <Amount of={quote.fees.protocol_fee} unit={sold} />
      </dd>
      <dt>Gas</dt>
      <dd>about {amountText(quote.gas_estimate)} gas units</dd>
      {quote.transfer_tax_bps !== undefined && quote.transfer_tax_bps > 0 && (
        <>
          <dt>Tax of the tokens</dt>
          <dd>{percentOfBps(quote.transfer_tax_bps)} %</dd>
        </>
      )}
    </dl>
  )
}

/** What one of the dearer token costs in the other. */
function priceText([paid, sold]: [string, string], [received, bought]: [string, string]): string {
  const forward = quotient(received, paid, 8) ?? '0'
  if (signOf(less(forward, '1')) >= 0) return `1 ${sold} = ${amountText(forward)} ${bought}`
  return `1 ${bought} = ${amountText(quotient(paid, received, 8) ?? '0')} ${sold}`
}
