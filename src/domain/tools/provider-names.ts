import type { Fail } from '../core/errors.ts'
import type { Chain, Chains } from '../ports/chains.ts'
import type { ChainTvl } from '../ports/providers.ts'

/** Ids of chains by common names, where a provider may use another name. */
const commonIds: ReadonlyMap<string, number> = new Map([
  ['mainnet', 1],
  ['eth', 1],
  ['optimism', 10],
  ['op', 10],
  ['bnb', 56],
  ['bsc', 56],
  ['matic', 137],
  ['avax', 43_114],
])

/**
 * The chain of the TVL provider for a name: the provider's own name, that of a connected chain, a common one, or an id.
 * NOT_FOUND lists the largest chains.
 */
export function tvlChain(known: readonly ChainTvl[], chains: Chains, name: string, fail: Fail<'NOT_FOUND'>): ChainTvl {
  const wanted = name.toLowerCase()
  const id = connectedChain(chains, name)?.info.id ?? (/^\d{1,15}$/.test(name) ? Number(name) : commonIds.get(wanted))
  const found =
    known.find((chain) => chain.name.toLowerCase() === wanted) ??
    (id === undefined ? undefined : known.find(({ chainId }) => chainId === id))
  if (found !== undefined) return found
  const largest = [...known].sort((left, right) => right.tvlUsd - left.tvlUsd).slice(0, 20)
  const names = largest.map((chain) => chain.name).join(', ')
  throw fail('NOT_FOUND', `The TVL provider knows no chain ${name.slice(0, 64)}; it knows ${names}.`)
}

/** A connected chain by its name or id, or null. */
export function connectedChain(chains: Chains, name: string): Chain | null {
  const wanted = name.toLowerCase()
  return chains.all.find(({ info }) => info.name.toLowerCase() === wanted || String(info.id) === wanted) ?? null
}

/** A JSON number of a provider as decimal text, with all its digits and without an exponent. */
export function decimalText(value: number): string {
  const text = String(value)
  const [mantissa = '0', exponent] = text.split('e')
  if (exponent === undefined) return text
  const [whole = '0', fraction = ''] = mantissa.replace('-', '').split('.')
  const point = whole.length + Number(exponent)
  const digits = (whole + fraction).padEnd(Math.max(point, 0), '0')
  const written = point > 0 ? digits.slice(0, point) : '0'
  const rest = point > 0 ? digits.slice(point) : digits.padStart(digits.length - point, '0')
  return `${text.startsWith('-') ? '-' : ''}${written}${rest === '' ? '' : `.${rest}`}`
}
