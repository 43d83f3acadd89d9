import { DomainError } from '../core/errors.ts'
import type { Exchange } from '../ports/market.ts'

/** The symbols as the exchange writes them. NOT_FOUND lists some that there are. */
export async function knownMarkets(
  exchange: Pick<Exchange, 'symbols'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const known = await exchange.symbols(signal)
  const symbols = names.map((name) => name.toUpperCase())
  const strange = symbols.find((symbol) => !known.includes(symbol))
  if (strange === undefined) return symbols
  const some = `${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`
  throw new DomainError('NOT_FOUND', `The exchange has no market ${strange}; it has ${some}.`)
}
