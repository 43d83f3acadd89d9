import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Call } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { presentQuote } from '../quoting/quote.ts'
import { refuseDifferent } from '../quoting/quote-sent-back.ts'
import { asHex, chainOf } from '../values/tokens.ts'
import { type Assessment, assess, type Note, type RiskReport } from './risk-checks.ts'

const unverified: Note = {
  flag: 'quote_unverified',
  says: 'You have no quote with this id, so it was assessed as sent.',
}
const expired: Note = { flag: 'quote_expired', says: 'The quote has expired. Request a new one before you trade.' }

type RiskRequest = InputOf<typeof contract.trading.assessRisk>

/**
 * Assesses a quote. A stored quote is loaded and must be unchanged; an unknown one is assessed as sent, and flagged. The
 * assistant may leave it out, to assess tokens alone.
 */
export async function assessRisk(
  ports: Pick<Ports, 'chains' | 'clock' | 'quotes'>,
  { quote, ...input }: Omit<RiskRequest, 'quote'> & Partial<Pick<RiskRequest, 'quote'>>,
  call: Pick<Call<typeof contract.trading.assessRisk>, 'principal'>,
): Promise<RiskReport> {
  const stored = quote === undefined ? null : await ports.quotes.find(call.principal.userId, quote.quote_id)
  if (quote !== undefined && stored !== null) refuseDifferent(presentQuote(stored, ports.chains), quote)
  const given = input.input.chain_id
  if (stored !== null && given !== undefined && given !== stored.chainId) {
    throw invalid('input.chain_id', `the quote is for chain ${stored.chainId}; leave chain_id out or send that id`)
  }
  const chain =
    stored === null && given === undefined
      ? ports.chains.default
      : chainOf(ports.chains, stored?.chainId ?? given ?? 0, 'input.chain_id')
  return await assess({
    chain,
    ...subject(stored, quote?.route ?? [], input.input.addresses),
    checks: input.input.checks,
    thresholds: input.thresholds,
    found: quote === undefined ? [] : notesOn(quote, stored, ports.clock.now()),
  })
}

function notesOn(sent: RiskRequest['quote'], stored: StoredQuote | null, now: Date): Note[] {
  const expiresAt = stored?.expiresAt ?? new Date(sent.expires_at)
  return [...(stored === null ? [unverified] : []), ...(expiresAt <= now ? [expired] : [])]
}

/** The tokens and the trade of the stored quote, else of the addresses that the caller names. */
function subject(
  stored: StoredQuote | null,
  given: readonly string[],
  addresses: readonly string[],
): Pick<Assessment, 'tokens' | 'trade'> {
  const named = addresses.map(asHex)
  if (stored !== null) {
    const { tokenIn, tokenOut, amountIn, route } = stored
    return { tokens: [tokenIn, tokenOut, ...named], trade: { tokenIn, tokenOut, amountIn, pools: route.pools } }
  }
  const way = given.map(asHex)
  const [tokenIn, tokenOut] = way.length >= 2 ? [way[0], way.at(-1)] : [named[0], named[1]]
  const trade =
    tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut
      ? null
      : { tokenIn, tokenOut, amountIn: null }
  return { tokens: [...named, ...way], trade }
}
