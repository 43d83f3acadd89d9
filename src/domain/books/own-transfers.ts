import { type Chain, type Hex, nativeToken, type SentTransaction, sameAddress } from '../ports/chains.ts'
import type { Movement } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'

/** True for the wallets of one account, in any letter case. */
export type IsOwn = (address: Hex | null) => boolean

/**
 * What a transaction moved between wallets of the account and over the bridge, with the fee of its sender. Empty where it
 * did neither: a payment to others is seen by the balances alone.
 */
export async function ownMovements(chain: Chain, isOwn: IsOwn, sent: SentTransaction): Promise<Movement[]> {
  const { from, to, value, minted, withdrawn, feeWei } = sent
  const transfers = sent.transfers.filter((transfer) => isOwn(transfer.from) && isOwn(transfer.to))
  const paid = isOwn(from) && to !== null && isOwn(to) ? [{ token: nativeToken, from, to, amount: value }] : []
  const bridged = isOwn(from) ? minted + withdrawn : 0n
  if (transfers.length === 0 && paid.length === 0 && bridged === 0n) return []
  const usd = openPrices(chain)
  const of = async (token: Hex, quantity: bigint) => ({ token, quantity, valueUsd: (await usd(token, quantity)) ?? 0n })
  const movements: Movement[] = []
  if (isOwn(from))
    movements.push(
      { kind: 'gas', ...(await of(nativeToken, feeWei)) },
      { kind: 'back', ...(await of(nativeToken, minted)) },
      { kind: 'away', ...(await of(nativeToken, withdrawn)) },
    )
  for (const { token, amount, ...parties } of [...paid, ...transfers])
    if (!sameAddress(parties.from, parties.to))
      movements.push({ kind: 'moved', from: parties.from, to: parties.to, ...(await of(token, amount)) })
  return movements.filter(({ quantity }) => quantity > 0n)
}

/** How a movement changes the balances of wallets: amounts below zero leave. `place` is the wallet of the booking. */
export function changesBy(movement: Movement, place: Hex): { wallet: Hex; token: Hex; change: bigint }[] {
  const { kind, token, quantity } = movement
  if (kind === 'moved')
    return [
      { wallet: movement.from, token, change: -quantity },
      { wallet: movement.to, token, change: quantity },
    ]
  const enters = kind === 'received' || kind === 'deposit' || kind === 'back'
  return [{ wallet: place, token, change: enters ? quantity : -quantity }]
}
