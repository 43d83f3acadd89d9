import { type Chain, type Hex, nativeToken, type SentTransaction } from '../ports/chains.ts'
import type { Movement } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'

/** The address of one of the account's wallets as it is stored, by its address in any letter case; null for others. */
export type OwnWallet = (address: Hex | null) => Hex | null

/**
 * What a transaction moved between wallets of the account and over the bridge, with the fee of its sender. Empty where it
 * did neither: a payment to others is seen by the balances alone.
 */
export async function ownMovements(chain: Chain, own: OwnWallet, sent: SentTransaction): Promise<Movement[]> {
  const { value, minted, withdrawn, feeWei, blockNumber: at } = sent
  const isSender = own(sent.from) !== null
  const paid = { token: nativeToken, from: sent.from, to: sent.to, amount: value }
  const transfers = [paid, ...sent.transfers].flatMap(({ token, amount, ...parties }) => {
    const [from, to] = [own(parties.from), own(parties.to)]
    return from === null || to === null ? [] : [{ token, amount, from, to }]
  })
  if (transfers.length === 0 && (!isSender || minted + withdrawn === 0n)) return []
  const usd = openPrices(chain, { at })
  const of = async (token: Hex, quantity: bigint) => ({ token, quantity, valueUsd: (await usd(token, quantity)) ?? 0n })
  const movements: Movement[] = []
  if (isSender)
    movements.push(
      { kind: 'gas', ...(await of(nativeToken, feeWei)) },
      { kind: 'back', ...(await of(nativeToken, minted)) },
      { kind: 'away', ...(await of(nativeToken, withdrawn)) },
    )
  for (const { token, amount, from, to } of transfers)
    if (from !== to) movements.push({ kind: 'moved', from, to, ...(await of(token, amount)) })
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
