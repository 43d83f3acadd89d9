import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import { plainDecimal } from '../values/swap.ts'
import type { Quote } from './quote.ts'

type SentQuote = NonNullable<InputOf<typeof contract.trading.assessRisk>['quote']>

/**
 * Checks that a quote was sent back unchanged: INVALID_ARGUMENT names a field that differs from the stored quote. Amounts,
 * times and addresses are compared by value, not by spelling.
 */
export function refuseChangedQuote(ours: Quote, sent: SentQuote): void {
  const [own, other] = [comparable(ours), comparable(sent)]
  for (const [field, value] of Object.entries(other)) {
    if (value !== undefined && value !== own[field]) {
      throw invalid(
        `quote.${field}`,
        'differs from the quote with this id; send the quote as you received it',
        'quote_differs',
      )
    }
  }
}

/** The fields of a quote in canonical text. */
function comparable(quote: Quote | SentQuote): Record<string, string | undefined> {
  return {
    expected_out: plain(quote.expected_out),
    minimum_out: plain(quote.minimum_out),
    gas_estimate: plain(quote.gas_estimate),
    'fees.protocol_fee': plain(quote.fees?.protocol_fee),
    'fees.gas_estimate': plain(quote.fees?.gas_estimate),
    slippage_bps: quote.slippage_bps.toString(),
    price_impact_bps: quote.price_impact_bps?.toString(),
    transfer_tax_bps: quote.transfer_tax_bps?.toString(),
    venue: quote.venue,
    warning: quote.warning,
    expires_at: new Date(quote.expires_at).toISOString(),
    route: quote.route?.join().toLowerCase(),
  }
}

/** A decimal without redundant zeros. */
function plain(text: string | undefined): string | undefined {
  return text === undefined ? undefined : plainDecimal(text)
}
