import type { Routed } from '../../intent/route-intent.ts'
import { unableText } from '../../intent/unable.ts'
import type { Chains } from '../../ports/chains.ts'
import type { StoredQuote } from '../../ports/trades.ts'
import { requestedToken } from '../../previews/requested-swap.ts'
import { parseUnits } from '../../values/money.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'

/** How a quote relates to the message that it answers: it is what the message asks for, or nobody can tell, or why not. */
type Match = { kind: 'same' | 'open' } | { kind: 'other'; reason: string }

/** An amount that is received may differ from the one asked for by this factor, for it is estimated by prices. */
const tolerance = 2n

/** Compares a quote with what the caller's own words ask for, whatever an assistant made of them. */
export function matchOf({ slots, doubt, refusal }: Routed, quote: StoredQuote, chains: Chains): Match {
  if (refusal === 'forbidden') return other('The user forbids this trade: quote nothing.')
  if (refusal !== null) return other(unableText(refusal))
  const chain = chainOf(chains, quote.chainId, 'quote')
  const [sold, bought] = [slots.token_in, slots.token_out].map(
    (name) => requestedToken(chain, name)?.toLowerCase() ?? null,
  )
  if (doubt !== null || sold == null || bought == null) return { kind: 'open' }
  const words = `The user sells ${slots.token_in} and buys ${slots.token_out}`
  if (quote.tokenIn.toLowerCase() !== sold || quote.tokenOut.toLowerCase() !== bought)
    return other(`${words}: quote that, with token_in_address ${sold} and token_out_address ${bought}.`)
  if (slots.amount_currency === 'usd')
    return { kind: quote.requestedAmount === `${slots.amount} usd` ? 'same' : 'open' }
  const isSold = slots.amount_of === 'token_in'
  const decimals = knownToken(chain, isSold ? quote.tokenIn : quote.tokenOut)?.decimals
  const asked = slots.amount === null || decimals === undefined ? null : unitsOf(slots.amount, decimals)
  if (asked === null) return { kind: 'open' }
  const differs = isSold
    ? quote.amountIn !== asked
    : quote.expectedOut * tolerance < asked || quote.expectedOut > asked * tolerance
  if (!differs) return { kind: 'same' }
  return other(
    `${words}, and ${isSold ? 'sells exactly' : 'receives about'} ${slots.amount}: this quote is of another amount.`,
  )
}

/** Null for more digits than the token has. */
function unitsOf(amount: string, decimals: number): bigint | null {
  return (amount.split('.')[1]?.length ?? 0) > decimals ? null : parseUnits(amount, decimals)
}

function other(reason: string): Match {
  return { kind: 'other', reason }
}
