import type { Chain, Chains, Token } from '../ports/chains.ts'
import type { Vocabulary } from './slots.ts'

/** Names that people use for chains beside the connected chain's own. */
const commonChainNames = [
  'ethereum',
  'mainnet',
  'base',
  'arbitrum',
  'optimism',
  'polygon',
  'bsc',
  'bnb',
  'solana',
  'avalanche',
  'sandbox',
]

/** The words a text may name a thing by: the connected chains' tokens, and the usual names of chains. */
export function vocabularyOf(chains: Chains): Vocabulary {
  const { info } = chains.default
  const symbols = chains.all.flatMap((chain) => chain.info.tokens.map((token) => token.symbol.toUpperCase()))
  const wrapped = info.tokens.find((token) => token.address.toLowerCase() === info.wrappedNative.toLowerCase())
  return {
    symbols: [...new Set(symbols)],
    chains: [...new Set([...chains.all.map((chain) => chain.info.name.toLowerCase()), ...commonChainNames])],
    nativeSymbol: info.nativeSymbol.toUpperCase(),
    wrappedSymbol: wrapped?.symbol.toUpperCase() ?? info.nativeSymbol.toUpperCase(),
  }
}

/** The token of a chain that a symbol or an address names, or null. */
export function tokenNamed(chain: Chain, name: string): Token | null {
  const wanted = name.toLowerCase()
  return (
    chain.info.tokens.find(
      (token) => token.symbol.toLowerCase() === wanted || token.address.toLowerCase() === wanted,
    ) ?? null
  )
}
