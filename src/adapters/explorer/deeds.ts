import { type Address, formatUnits, type Hex } from 'viem'
import { lower } from '../../opstack/messages.ts'
import { messagePasser } from '../../opstack/predeploys.ts'
import { anyAmount, type ReadCall, swapOf } from './calls.ts'
import type { Party, TokenParty } from './parties.ts'
import type { Moved } from './transfers.ts'

/** An amount of a token, or of the native currency where `token` is null. */
type Amount = { amount: string; token: Party | null }

/** What a transaction did or, where it did not succeed, tried to do. */
type Deed =
  /** The amount that came is the least one where the transaction did not succeed. */
  | { kind: 'swap'; paid: Amount; got: Amount; venue: Party }
  | { kind: 'send'; sent: Amount; to: Party }
  /** An allowance without an amount is for any. */
  | { kind: 'allow'; spender: Party; token: Party; amount: string | null }
  | { kind: 'wrap' | 'unwrap'; sent: Amount }
  | { kind: 'deploy'; contract: Party | null }
  | { kind: 'deposit'; sent: Amount; to: Party }
  | { kind: 'withdraw'; sent: Amount }
  | { kind: 'call'; name: string; contract: Party }

/** What is known of a transaction when its deed is described. */
type Evidence = {
  from: Address
  to: Address | null
  input: Hex
  value: bigint
  succeeded: boolean
  /** The wei of a user's deposit; null for any other transaction. */
  minted: bigint | null
  withdrawn: readonly bigint[]
  call: ReadCall | null
  contract: Party | null
  /** Every token transfer; null where there were too many to read. */
  moved: readonly Moved[] | null
  /** Wei that the sender received. */
  received: bigint
  wrapped: Address
  party(address: string): Party
  token(address: string): TokenParty | null
}

/** Tells the deed by what was moved, and by the call where that moved nothing. */
export function deedOf(evidence: Evidence): Deed {
  const { to, input, value, minted, contract, party, succeeded } = evidence
  if (to === null) return { kind: 'deploy', contract }
  // What is minted goes to the sender; only where all of it is sent on has the recipient got it.
  if (minted !== null && minted > 0n && minted === value && succeeded)
    return { kind: 'deposit', sent: native(minted), to: party(to) }
  const swap = succeeded ? swapByTransfers(evidence, to) : swapByTerms(evidence, to)
  const deed = withdrawal(evidence) ?? wrapping(evidence, to) ?? tokenDeed(evidence, to) ?? swap
  if (deed !== null) return deed
  if (input === '0x') return { kind: 'send', sent: native(value), to: party(to) }
  return { kind: 'call', name: evidence.call?.name ?? input.slice(0, 10), contract: party(to) }
}

function native(wei: bigint): Amount {
  return { amount: formatUnits(wei, 18), token: null }
}

function ofToken(value: bigint, token: TokenParty): Amount {
  return { amount: formatUnits(value, token.decimals ?? 0), token }
}

function withdrawal({ withdrawn, succeeded, value, to }: Evidence): Deed | null {
  const tried = to !== null && lower(to) === messagePasser ? value : 0n
  const sum = succeeded ? withdrawn.reduce((all, one) => all + one, 0n) : tried
  return sum === 0n ? null : { kind: 'withdraw', sent: native(sum) }
}

function wrapping({ call, value, wrapped, token }: Evidence, to: Address): Deed | null {
  if (lower(to) !== lower(wrapped)) return null
  if (call?.name === 'deposit') return { kind: 'wrap', sent: native(value) }
  const unit = token(wrapped)
  if (call?.name !== 'withdraw' || unit === null) return null
  return { kind: 'unwrap', sent: ofToken(call.fields[0]?.value as bigint, unit) }
}

/** A transfer or an approval of the called token. A transfer counts only where the token says that it happened. */
function tokenDeed({ call, moved, succeeded, from, party, token }: Evidence, to: Address): Deed | null {
  const unit = token(to)
  // Without decimals it may be an NFT, whose number is no amount.
  if (call === null || unit === null || unit.name === null || unit.decimals === null) return null
  const [first, second] = call.fields.map(({ value }) => value)
  if (call.name === 'approve') {
    const value = second as bigint
    const amount = value >= anyAmount ? null : formatUnits(value, unit.decimals)
    return { kind: 'allow', spender: party(String(first)), token: unit, amount }
  }
  if (call.name !== 'transfer') return null
  const asked = [lower(to), lower(from), lower(String(first) as Hex), second].join()
  const happened = (moved ?? []).some(
    (one) => [lower(one.token as Hex), lower(one.from), lower(one.to), one.value].join() === asked,
  )
  if (succeeded && !happened) return null
  return { kind: 'send', sent: ofToken(second as bigint, unit), to: party(String(first)) }
}

/** A swap: exactly one token left the sender, and exactly one came. */
function swapByTransfers({ moved, from, input, value, received, token, party }: Evidence, to: Address): Deed | null {
  if (moved === null || input === '0x') return null
  const net = new Map<string | null, bigint>([[null, received - value]])
  for (const one of moved) {
    const change = (lower(one.to) === lower(from) ? one.value : 0n) - (lower(one.from) === lower(from) ? one.value : 0n)
    net.set(one.token, (net.get(one.token) ?? 0n) + change)
  }
  const left = [...net].filter(([, change]) => change < 0n)
  const came = [...net].filter(([, change]) => change > 0n)
  const amountOf = ([address, change]: [string | null, bigint]): Amount | null => {
    const size = change < 0n ? -change : change
    if (address === null) return native(size)
    const unit = token(address)
    return unit === null ? null : ofToken(size, unit)
  }
  if (left[0] === undefined || came[0] === undefined || left.length + came.length !== 2) return null
  const [paid, got] = [amountOf(left[0]), amountOf(came[0])]
  return paid === null || got === null ? null : { kind: 'swap', paid, got, venue: party(to) }
}

/** The swap that a call asks for. */
function swapByTerms({ call, value, wrapped, token, party }: Evidence, to: Address): Deed | null {
  const terms = call === null ? null : swapOf(call)
  if (terms === null || terms.minimum === null) return null
  const [unitIn, unitOut] = [token(terms.tokenIn), token(terms.tokenOut)]
  if (unitIn === null || unitOut === null) return null
  const isNative = value > 0n && lower(terms.tokenIn) === lower(wrapped)
  const paid = isNative ? native(value) : ofToken(terms.amountIn ?? 0n, unitIn)
  const got = terms.unwraps ? native(terms.minimum) : ofToken(terms.minimum, unitOut)
  return { kind: 'swap', paid, got, venue: party(to) }
}
