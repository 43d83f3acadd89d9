import { type Chain, type FeedPrice, type Hex, sameAddress, type Token } from '../ports/chains.ts'
import type { ValuedBy } from '../ports/ledger.ts'
import { usdValue } from './money.ts'
import { readFeed } from './prices.ts'
import { knownToken, pooledToken } from './tokens.ts'

type Side = { token: Hex; amount: bigint }

/** How well a token measures the value of a trade, the best first. */
const measures = ['pegged', 'native', 'priced'] as const
type Measured = { measure: (typeof measures)[number]; valueUsd: bigint }

/** How far a pegged token may be from one dollar, in percent; further away it measures nothing. */
const pegTolerancePercent = 2n

/**
 * The one value of a swap in 1e-18 USD, from the side that measures it better: a token pegged to the dollar, else the
 * native currency, wrapped or not, else another token with a feed; of two equals the one received. It is the last price
 * of a feed, or that at the block `at`, of any age. A value of `cost` says that it is what the sold tokens cost: where neither side has a price,
 * and for wrapping, which exchanges a thing for itself.
 */
export async function swapValue(
  chain: Chain,
  paid: Side,
  received: Side,
  at?: bigint,
): Promise<{ valuedBy: 'cost' } | { valuedBy: Exclude<ValuedBy, 'cost'>; valueUsd: bigint }> {
  if (sameAddress(pooledToken(chain, paid.token), pooledToken(chain, received.token))) return { valuedBy: 'cost' }
  // What is exchanged for nothing is lost, and what nothing was paid for has no cost.
  if (paid.amount === 0n || received.amount === 0n) return { valuedBy: 'token_out', valueUsd: 0n }
  const [sold, bought] = await Promise.all([measured(chain, paid, at), measured(chain, received, at)])
  if (bought !== null && (sold === null || rank(bought) <= rank(sold)))
    return { valuedBy: 'token_out', valueUsd: bought.valueUsd }
  return sold === null ? { valuedBy: 'cost' } : { valuedBy: 'token_in', valueUsd: sold.valueUsd }
}

/** The value of a side and how well it is measured; null where it has no price, or is off its peg. */
async function measured(chain: Chain, { token: address, amount }: Side, at?: bigint): Promise<Measured | null> {
  const token = knownToken(chain, address)
  if (token === null) return null
  if (token.pegged !== undefined && token.usdFeed === null)
    return { measure: 'pegged', valueUsd: usdValue(amount, token.decimals, 1n, 0) }
  const price = await readFeed(chain, token, at)
  if (price === null || price.answer <= 0n || isOffPeg(token, price)) return null
  const native = sameAddress(pooledToken(chain, address), chain.info.wrappedNative)
  const measure = token.pegged !== undefined ? 'pegged' : native ? 'native' : 'priced'
  return { measure, valueUsd: usdValue(amount, token.decimals, price.answer, price.decimals) }
}

function isOffPeg({ pegged }: Token, { answer, decimals }: FeedPrice): boolean {
  const one = 10n ** BigInt(decimals)
  const off = answer > one ? answer - one : one - answer
  return pegged !== undefined && off * 100n > one * pegTolerancePercent
}

function rank({ measure }: Measured): number {
  return measures.indexOf(measure)
}
