import { DomainError } from '../core/errors.ts'
import type { Chain, FeedPrice, Head, Hex, Token } from '../ports/chains.ts'
import { usdValue } from './money.ts'
import { knownToken } from './tokens.ts'

/**
 * What amounts of tokens are worth by the chain's feeds, in 1e-18 USD; null where no feed prices the token. `freshOnly`
 * is for decisions about money and for what is told as its worth now: a feed that is older than its heartbeat prices
 * nothing then. Books take the last price. Each feed and the chain's clock are read once, when they are first wanted.
 */
export function openPrices(chain: Chain, { freshOnly = false } = {}) {
  const asked = new Map<string, Promise<FeedPrice | null>>()
  let head: Promise<Head> | undefined
  const atOneTime: Chain = { ...chain, head: () => (head ??= chain.head()) }
  const ask = (token: Token) => {
    const answer =
      asked.get(token.usdFeed ?? '') ?? (freshOnly ? currentPrice(atOneTime, token) : readFeed(chain, token))
    asked.set(token.usdFeed ?? '', answer)
    return answer
  }
  return async (address: Hex, amount: bigint): Promise<bigint | null> => {
    const token = knownToken(chain, address)
    const price = token === null ? null : await ask(token)
    if (token === null || price === null || price.answer <= 0n) return null
    return usdValue(amount, token.decimals, price.answer, price.decimals)
  }
}

/** The feed's answer for a token while it is younger than its heartbeat by the clock of the chain, else null. */
export async function currentPrice(chain: Chain, token: Token): Promise<FeedPrice | null> {
  if (token.usdFeed === null) return null
  const [price, head] = await Promise.all([readFeed(chain, token), chain.head()])
  return price === null || isStale(price, head.timestamp) ? null : price
}

/** The feed's last answer for a token, however old; null where it has no feed, or one that answers no price. */
export async function readFeed(chain: Chain, { usdFeed }: Token): Promise<FeedPrice | null> {
  return usdFeed === null ? null : await chain.price(usdFeed).catch(nullWithoutAnswer)
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
