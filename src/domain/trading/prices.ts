import { DomainError } from '../errors.ts'
import type { Chain, Hex, Token } from '../ports/chains.ts'
import { usdValue } from './money.ts'
import { nativeToken } from './positions.ts'

/** What is known of a token; the native currency counts as one with 18 decimals. */
export type Asset = Pick<Token, 'symbol' | 'address' | 'decimals' | 'usdFeed'>

/** The token at an address, or null where the chain's list does not name it. */
export function assetOf(chain: Chain, address: Hex): Asset | null {
  const { nativeSymbol, nativeUsdFeed, tokens } = chain.info
  if (address === nativeToken) return { symbol: nativeSymbol, address, decimals: 18, usdFeed: nativeUsdFeed }
  return tokens.find((token) => token.address.toLowerCase() === address.toLowerCase()) ?? null
}

/** What amounts of tokens are worth now by the chain's feeds, in 1e-18 USD; null where no feed prices the token. */
export function openPrices(chain: Chain) {
  const asked = new Map<string, ReturnType<Chain['price']>>()
  const ask = (pair: string) => {
    const answer = asked.get(pair) ?? chain.price(pair).catch(nullWithoutAnswer)
    asked.set(pair, answer)
    return answer
  }
  return async (address: Hex, amount: bigint): Promise<bigint | null> => {
    const token = assetOf(chain, address)
    const price = token?.usdFeed == null ? null : await ask(token.usdFeed)
    if (token === null || price === null || price.answer <= 0n) return null
    return usdValue(amount, token.decimals, price.answer, price.decimals)
  }
}

/** A feed that answers no price prices nothing; one that cannot be reached is another matter. */
function nullWithoutAnswer(failure: unknown): null {
  if (failure instanceof DomainError && failure.code === 'FAILED_PRECONDITION') return null
  throw failure
}
