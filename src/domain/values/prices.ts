import { DomainError } from '../core/errors.ts'
import type { Chain, FeedPrice, Head, Hex, Token } from '../ports/chains.ts'
import { usdValue } from './money.ts'
import { knownToken } from './tokens.ts'

/**
 * Returns a function that values amounts of tokens by the chain's feeds, in 1e-18 USD; null where the token has no feed.
 * With `freshOnly` a feed older than its heartbeat counts as missing: for decisions about money and current values.
 * Books use the last price of any age, or that of the block `at`, where it is known when something happened. Each feed and the chain's clock are read once, on first use.
 */
export function openPrices(chain: Chain, { freshOnly = false, at }: { freshOnly?: boolean; at?: bigint } = {}) {
  const prices = new Map<string, Promise<FeedPrice | null>>()
  let head: Promise<Head> | undefined
  const atOneTime: Chain = { ...chain, head: () => (head ??= chain.head()) }
  const priceOf = (token: Token) => {
    const price =
      prices.get(token.usdFeed ?? '') ?? (freshOnly ? currentPrice(atOneTime, token) : readFeed(chain, token, at))
    prices.set(token.usdFeed ?? '', price)
    return price
  }
  return async (address: Hex, amount: bigint): Promise<bigint | null> => {
    const token = knownToken(chain, address)
    const price = token === null ? null : await priceOf(token)
    if (token === null || price === null || price.answer <= 0n) return null
    return usdValue(amount, token.decimals, price.answer, price.decimals)
  }
}

/** The feed price of a token, or null where it is older than its heartbeat by the chain's clock. */
export async function currentPrice(chain: Chain, token: Token): Promise<FeedPrice | null> {
  if (token.usdFeed === null) return null
  const [price, head] = await Promise.all([readFeed(chain, token), chain.head()])
  return price === null || isStale(price, head.timestamp) ? null : price
}

/** The last feed price of a token, or that at a block, of any age; null where it has no feed, or the feed has no price. */
export async function readFeed(chain: Chain, { usdFeed }: Token, at?: bigint): Promise<FeedPrice | null> {
  return usdFeed === null ? null : await chain.price(usdFeed, at).catch(nullWithoutAnswer)
}

/** True where a feed is older than its heartbeat; `now` is the chain's clock in seconds. */
export function isStale(feed: FeedPrice, now: bigint): boolean {
  return feedAge(feed, now) > feed.heartbeatSeconds
}

/** Seconds since the feed was updated; never negative. */
export function feedAge(feed: FeedPrice, now: bigint): number {
  return Math.max(0, Number(now) - Math.floor(feed.updatedAt.getTime() / 1_000))
}

/** A feed without a price is null. A feed that cannot be read is a failure. */
function nullWithoutAnswer(failure: unknown): null {
  if (failure instanceof DomainError && failure.code === 'FAILED_PRECONDITION') return null
  throw failure
}
