import { hasChecksum, wrongChecksum } from '../../contract/shared/primitives.ts'
import { invalid } from '../core/errors.ts'
import { type Chain, type Chains, type Hex, nativeToken, type Token } from '../ports/chains.ts'
import { formatUnits } from './money.ts'
import { symbolsMeant } from './token-names.ts'

/** The addresses by which wallets and routers denote the native currency. */
const nativeNames: readonly string[] = [nativeToken, '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee']

/** The chain of an id. INVALID_ARGUMENT names the field and lists the connected chains. */
export function chainOf(chains: Chains, chainId: number, path: string): Chain {
  const chain = chains.find(chainId)
  if (chain !== null) return chain
  throw invalid(path, `chain ${chainId} is not connected; the chains are ${listed(chains)}`, 'unknown_chain')
}

/** Names that providers use for chains, in addition to the names and ids of `listChains`. */
const usualNames: readonly (readonly [string, number])[] = [
  ['ethereum', 1],
  ['eth', 1],
  ['mainnet', 1],
  ['optimism', 10],
  ['op mainnet', 10],
  ['bsc', 56],
  ['binance', 56],
  ['bnb', 56],
  ['polygon', 137],
  ['matic', 137],
  ['base', 8_453],
  ['arbitrum', 42_161],
  ['arbitrum one', 42_161],
]

/** The chain of a name, or of an id as text, in any letter case. INVALID_ARGUMENT lists the connected chains. */
export function chainNamed(chains: Chains, name: string, path: string): Chain {
  const wanted = name.trim().toLowerCase()
  const usual = usualNames.find(([usualName]) => usualName === wanted)?.[1]
  const id = usual ?? (/^\d{1,15}$/.test(wanted) ? Number(wanted) : null)
  const found = chains.all.find(({ info }) => info.name.toLowerCase() === wanted || info.id === id)
  if (found !== undefined) return found
  throw invalid(path, `no chain of this name is connected; the chains are ${listed(chains)}`, 'unknown_chain')
}

function listed(chains: Chains): string {
  return chains.all.map(({ info }) => `${info.id} (${info.name})`).join(', ')
}

/** The token of an address, in any letter case, on a chain's list or the native currency; null where there is none. */
export function knownToken(chain: Chain, address: string): Token | null {
  const wanted = address.toLowerCase()
  if (nativeNames.includes(wanted)) return nativeOf(chain)
  return chain.info.tokens.find((token) => token.address.toLowerCase() === wanted) ?? null
}

/** INVALID_ARGUMENT for an address in plain words whose checksum is wrong: it was mistyped, whatever it means otherwise. */
export function requireChecksum(text: string, path: string): void {
  if (/^0x[0-9a-f]{40}$/i.test(text) && !hasChecksum(text)) throw invalid(path, wrongChecksum)
}

/** The token of a symbol (in any letter case), a usual name or an address on a chain; null where there is none. */
export function tokenCalled(chain: Chain, name: string): Token | null {
  const tokens = [nativeOf(chain), ...chain.info.tokens]
  for (const meant of symbolsMeant(name)) {
    const token = tokens.find(({ symbol }) => symbol.toUpperCase() === meant)
    if (token !== undefined) return token
  }
  return knownToken(chain, name)
}

/** The same; INVALID_ARGUMENT names the field and lists the symbols of the chain. */
export function tokenNamed(chain: Chain, name: string, path: string): Token {
  const found = tokenCalled(chain, name)
  if (found !== null) return found
  throw invalid(path, `${chain.info.name} has no token of this name; it has ${symbolsOf(chain)}`, 'unknown_token')
}

/** The token of a symbol or an address on a chain. INVALID_ARGUMENT names the field and lists the known tokens. */
export function tokenOf(chain: Chain, address: string, path: string): Token {
  const token = knownToken(chain, address)
  if (token !== null) return token
  const { info } = chain
  if (info.tokens.length === 0)
    throw invalid(
      path,
      `the gateway knows no tokens or venues on ${info.name}, so nothing can be traded there`,
      'unknown_token',
    )
  const known = [nativeOf(chain), ...info.tokens].map(({ symbol, address: at }) => `${symbol} ${at}`).join(', ')
  throw invalid(path, `this token is unknown on ${info.name}; the tokens are ${known}`, 'unknown_token')
}

/** The symbols of a chain's tokens, joined for a message. */
export function symbolsOf(chain: Chain): string {
  return [nativeOf(chain), ...chain.info.tokens].map(({ symbol }) => symbol).join(', ')
}

/** The native currency as a token. */
export function nativeOf({ info }: Chain): Token {
  return { symbol: info.nativeSymbol, address: nativeToken, decimals: 18, usdFeed: info.nativeUsdFeed }
}

/** The token that pools hold: the wrapped token for the native currency, else the token itself. */
export function pooledToken({ info }: Chain, token: Hex): Hex {
  return nativeNames.includes(token.toLowerCase()) ? info.wrappedNative : token
}

/** The canonical form of a token's address: lower case, and one address for the native currency. */
export function plainToken(address: string): Hex {
  const lower = asHex(address)
  return nativeNames.includes(lower) ? nativeToken : lower
}

/** An address that the contract's schema has checked, in lower case, for comparisons. */
export function asHex(address: string): Hex {
  return address.toLowerCase() as Hex
}

/** An amount in words, such as `0.5 WETH`; in smallest units where the token is not known. */
export function amountText(chain: Chain | null, address: Hex, amount: bigint): string {
  const token = chain === null ? null : knownToken(chain, address)
  return token === null ? `${amount} units of ${address}` : `${formatUnits(amount, token.decimals)} ${token.symbol}`
}
