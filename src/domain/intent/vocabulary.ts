import type { Chains } from '../ports/chains.ts'

/** What the readers know of the connected chains: symbols in upper case, and names of chains in lower case. */
export type Vocabulary = {
  symbols: ReadonlySet<string>
  /** Addresses of the known tokens, in lower case. */
  addresses: ReadonlySet<string>
  chains: ReadonlySet<string>
  /** Name of the chain that is meant where none is named. */
  defaultChain: string
  nativeSymbol: string
  wrappedSymbol: string
}

/** The words by which the connected chains name their tokens and themselves. */
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
