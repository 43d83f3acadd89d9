import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Call } from '../core/handler.ts'
import type { Chains } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { presentQuote } from '../quoting/quote.ts'
import { refuseChangedQuote } from '../quoting/quote-sent-back.ts'
import { asHex, chainNamed, chainOf } from '../values/tokens.ts'
import { type Assessment, assess, type Note, type RiskReport } from './risk-checks.ts'

const unverified: Note = {
  flag: 'quote_unverified',
  says: 'You have no quote with this id, so it was assessed as sent.',
}
const expired: Note = { flag: 'quote_expired', says: 'The quote has expired. Request a new one before you trade.' }

type RiskRequest = InputOf<typeof contract.trading.assessRisk>
type SentQuote = NonNullable<RiskRequest['quote']>

/**
 * Assesses the stored quote of `quote_id`, or a quote that was sent: a stored one must be unchanged; an unknown one is
 * assessed as sent, and flagged. The assistant may leave both out, to assess tokens alone.
 */
export async function assessRisk(
  ports: Pick<Ports, 'chains' | 'clock' | 'quotes'>,
  { quote, quote_id: quoteId = quote?.quote_id, input, thresholds }: RiskRequest,
  call: Pick<Call<typeof contract.trading.assessRisk>, 'principal' | 'fail'>,
): Promise<RiskReport> {
  const stored = quoteId === undefined ? null : await ports.quotes.find(call.principal.userId, quoteId)
  if (quote !== undefined && stored !== null) refuseChangedQuote(presentQuote(stored, ports.chains), quote)
  if (quote === undefined && quoteId !== undefined && stored === null)
    throw call.fail('NOT_FOUND', 'You have no quote with this quote_id. Request a new one from trading.quote.')
  const chainId = chainIdOf(ports.chains, input)
  if (stored !== null && chainId !== undefined && chainId !== stored.chainId) {
    const path = input?.chain_id === undefined ? 'input.chain' : 'input.chain_id'
    throw invalid(path, `the quote is for chain ${stored.chainId}; leave the chain out or send that id`)
  }
  const known = stored?.chainId ?? chainId
  return await assess({
    chain: known === undefined ? ports.chains.default : chainOf(ports.chains, known, 'input.chain_id'),
    ...subject(stored, quote?.route ?? [], input?.addresses ?? []),
    checks: input?.checks ?? [],
    thresholds,
    found: notesOn(quote, stored, ports.clock.now()),
  })
}

/** The id of the chain that the input names, by `chain_id` or by a `chain` other than evm; undefined where it names none. */
function chainIdOf(chains: Chains, { chain = 'evm', chain_id: id }: Partial<NonNullable<RiskRequest['input']>> = {}) {
  if (chain.toLowerCase() === 'evm') return id
  const named = chainNamed(chains, chain, 'input.chain').info.id
  if (id === undefined || id === named) return named
  throw invalid('input.chain_id', `differs from input.chain, which is chain ${named}; send one of them`)
}

function notesOn(sent: SentQuote | undefined, stored: StoredQuote | null, now: Date): Note[] {
  const expiresAt = stored?.expiresAt ?? (sent === undefined ? null : new Date(sent.expires_at))
  if (expiresAt === null) return []
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
