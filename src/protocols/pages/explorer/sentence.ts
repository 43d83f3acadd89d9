import { html } from '../page.ts'
import { units } from '../parts.ts'
import { grouped } from './parts.ts'
import type { Amount, Deed, ExplorerTransaction, Party } from './source.ts'

/** One sentence that says what a transaction did, tried or waits to do. */
export function sentence(transaction: ExplorerTransaction): string {
  const { status, nativeSymbol, reason } = transaction
  const deed = transaction.deed ?? plainDeed(transaction)
  const [verb, did, rest] = wordsOf(deed, nativeSymbol, status === 'success')
  if (status === 'success') return `<p class="deed">${did} ${rest}</p>`
  const tried = `${verb} ${rest}`
  const text =
    status === 'pending'
      ? `Waits for its block, to ${tried}`
      : `Failed: ${html(reason ?? 'the node does not say why')}. It tried to ${tried}`
  return `<p class="deed ${status}">${text}</p>`
}

/** What the fields alone tell. */
function plainDeed({ to, contract, mintedWei, valueWei, withdrawnWei, input }: ExplorerTransaction): Deed {
  const native = (wei: bigint): Amount => ({ amount: units(wei, '').trim(), token: null })
  if (to === null) return { kind: 'deploy', contract }
  if (mintedWei !== null && mintedWei > 0n && mintedWei === valueWei)
    return { kind: 'deposit', sent: native(mintedWei), to }
  const withdrawn = withdrawnWei.reduce((sum, one) => sum + one, 0n)
  if (withdrawn > 0n) return { kind: 'withdraw', sent: native(withdrawn) }
  if (input === '0x') return { kind: 'send', sent: native(valueWei), to }
  return { kind: 'call', name: input.slice(0, 10), contract: to }
}

/** The verb, the same in the past, and what follows it. */
function wordsOf(deed: Deed, symbol: string, happened: boolean): readonly [string, string, string] {
  const of = (amount: Amount) => amountOf(amount, symbol)
  switch (deed.kind) {
    case 'swap': {
      const venue = deed.venue.listed ? html((deed.venue.name ?? '').replace(/ router$/, '')) : nameOf(deed.venue)
      return ['swap', 'Swapped', `${of(deed.paid)} for ${happened ? '' : 'at least '}${of(deed.got)} on ${venue}`]
    }
    case 'send':
      return ['send', 'Sent', `${of(deed.sent)} to ${nameOf(deed.to)}`]
    case 'allow':
      return ['allow', 'Allowed', `${nameOf(deed.spender)} to spend ${allowance(deed)}`]
    case 'wrap':
      return ['wrap', 'Wrapped', of(deed.sent)]
    case 'unwrap':
      return ['unwrap', 'Unwrapped', of(deed.sent)]
    case 'deploy':
      return ['deploy', 'Deployed', deed.contract === null ? 'a contract' : `the contract ${nameOf(deed.contract)}`]
    case 'deposit':
      return ['deposit', 'Deposited', `${of(deed.sent)} from the parent chain to ${nameOf(deed.to)}`]
    case 'withdraw':
      return ['withdraw', 'Withdrew', `${of(deed.sent)} to the parent chain`]
    case 'call':
      return ['call', 'Called', `<code>${html(deed.name)}</code> of ${nameOf(deed.contract)}`]
  }
}

function allowance({ amount, token }: Deed & { kind: 'allow' }): string {
  if (amount === null) return `any amount of ${tokenName(token)}`
  return amount === '0' ? `no more ${tokenName(token)}` : amountOf({ amount, token }, '')
}

function amountOf({ amount, token }: Amount, symbol: string): string {
  const unit = token === null ? html(symbol) : token.name === null ? `of ${tokenName(token)}` : tokenName(token)
  return `${html(rounded(amount))} ${unit}`
}

/** Quotes mark a name that a contract gives itself. */
function tokenName(token: Party): string {
  if (token.name === null) return nameOf(token)
  return token.listed ? html(token.name) : `“<bdi>${html(token.name)}</bdi>”`
}

/** The listed name of an address, or the address shortened, as a link. */
function nameOf({ address, name, listed }: Party): string {
  const whole = html(address)
  const text = listed && name !== null ? html(name) : `${html(address.slice(0, 6))}…${html(address.slice(-4))}`
  return `<a href="/explorer/address/${whole}" title="${whole}">${text}</a>`
}

/** An amount with its thousands grouped, cut to two decimals from one on and to six below; the exact one is further down. */
function rounded(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const digits = grouped(whole)
  const kept = fraction.slice(0, whole === '0' ? 6 : 2).replace(/0+$/, '')
  if (kept !== '') return `${digits}.${kept}`
  return whole === '0' && /[1-9]/.test(fraction) ? 'less than 0.000001' : digits
}
