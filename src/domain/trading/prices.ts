import { DomainError } from '../errors.ts'
import type { Chain, FeedPrice, Hex, Token } from '../ports/chains.ts'
import { usdValue } from './money.ts'
import { knownToken } from './tokens.ts'

/** What amounts of tokens are worth now by the chain's feeds, in 1e-18 USD; null where no feed prices the token. */
export function openPrices(chain: Chain) {
  const asked = new Map<string, ReturnType<Chain['price']>>()
  const ask = (pair: string) => {
    const answer = asked.get(pair) ?? chain.price(pair).catch(nullWithoutAnswer)
    asked.set(pair, answer)
    return answer
  }
  return async (address: Hex, amount: bigint): Promise<bigint | null> => {
    const token = knownToken(chain, address)
    const price = token?.usdFeed == null ? null : await ask(token.usdFeed)
    if (token === null || price === null || price.answer <= 0n) return null
    return usdValue(amount, token.decimals, price.answer, price.decimals)
  }
}

/** The feed's answer for a token while it is younger than its heartbeat by the clock of the chain, else null. */
export async function currentPrice(chain: Chain, { usdFeed }: Token): Promise<FeedPrice | null> {
  if (usdFeed === null) return null
  const [price, head] = await Promise.all([chain.price(usdFeed).catch(nullWithoutAnswer), chain.head()])
  return price === null || isStale(price, head.timestamp) ? null : price
}

/** Has a feed been silent for longer than its heartbeat; `now` is the chain's clock in seconds. */
export function isStale(feed: FeedPrice, now: bigint): boolean {
  return feedAge(feed, now) > feed.heartbeatSeconds
}

/** Seconds since the feed's answer; never negative. */
export function feedAge(feed: FeedPrice, now: bigint): number {
  return Math.max(0, Number(now) - Math.floor(feed.updatedAt.getTime() / 1_000))
}

/** A feed that answers no price prices nothing; one that cannot be reached is another matter. */
function nullWithoutAnswer(failure: unknown): null {
  if (failure instanceof DomainError && failure.code === 'FAILED_PRECONDITION') return null
  throw failure
}
