import type { Chains } from '../../ports/chains.ts'
import { tokenNames } from './names.ts'

/** The names of the connected chains and their tokens: symbols in upper case, chains in lower case. */
export type Vocabulary = {
  symbols: ReadonlySet<string>
  /** Addresses of the known tokens, in lower case. */
  addresses: ReadonlySet<string>
  chains: ReadonlySet<string>
  /** The chain of a text that names none. */
  defaultChain: string
  nativeSymbol: string
  wrappedSymbol: string
}

export function vocabularyOf(chains: Chains): Vocabulary {
  const { info } = chains.default
  const symbols = chains.all.flatMap((chain) => [
    chain.info.nativeSymbol.toUpperCase(),
    ...chain.info.tokens.map((token) => token.symbol.toUpperCase()),
  ])
  const wrapped = info.tokens.find((token) => token.address.toLowerCase() === info.wrappedNative.toLowerCase())
  return {
    symbols: new Set(symbols),
    addresses: new Set(chains.all.flatMap(({ info }) => info.tokens.map(({ address }) => address.toLowerCase()))),
    chains: new Set(chains.all.map((chain) => chain.info.name.toLowerCase())),
    defaultChain: info.name,
    nativeSymbol: info.nativeSymbol.toUpperCase(),
    wrappedSymbol: wrapped?.symbol.toUpperCase() ?? info.nativeSymbol.toUpperCase(),
  }
}

/** Every name of the known tokens, in lower case. */
export function tokenNamesOf({ symbols }: Vocabulary): string[] {
  return [...[...symbols].map((symbol) => symbol.toLowerCase()), ...tokenNames.keys()]
}

/** The symbol of the known token that a name means; null where none is known. */
export function tokenCalledIn({ symbols }: Vocabulary, name: string): string | null {
  return [name.toUpperCase(), ...(tokenNames.get(name) ?? [])].find((symbol) => symbols.has(symbol)) ?? null
}
