import { sameAddress } from '../ports/chains.ts'
import type { Booking, Movement, Post, Posted, WalletKey } from '../ports/ledger.ts'
import { openBook } from './positions.ts'

/**
 * Works out how a booking changes the positions: tokens paid leave at average cost, tokens received enter at the value of
 * the trade, which may be that cost, and gas is a loss. Rows of other tokens are not returned. The invariants of the ledger:
 *
 * L1. The entries of a booking sum to zero for each token.
 * L2. A reference is booked at most once at a time.
 * L3. The bookings of an account are written one after the other, in every process.
 * L4. A booking, its positions and its fill are written in one database transaction.
 * L5. Removing a booking restores the positions before it, and posts the later bookings of its wallet again in order.
 */
export const postBooking: Post = (booking, stored) => {
  const { agent, at, movements, trade } = booking
  // Any agent of the wallet may have to lend the tokens that are paid.
  const touched = stored.filter((row) => movements.some(({ token }) => sameAddress(token, row.token)))
  const book = openBook(placeOf(booking), touched, at)
  let realizedPnlUsd = 0n
  let gasUsd = 0n
  let sale: Posted['sale'] = null
  for (const { kind, ...amount } of inOrder(movements)) {
    if (kind === 'paid') {
      const sold = book.sell(agent, amount, trade?.valuedBy === 'cost' ? 'cost' : amount.valueUsd, 'market')
      realizedPnlUsd += sold.profitUsd
      sale = { ...sold, openedAt: book.openedAt(agent, amount.token) }
    } else if (kind === 'received')
      book.deposit(agent, trade?.valuedBy === 'cost' ? { ...amount, valueUsd: sale?.valueUsd ?? 0n } : amount, 'market')
    else if (kind === 'gas') gasUsd -= book.sell(agent, amount, 0n, 'gas').profitUsd
    else if (kind === 'deposit') book.deposit(agent, amount, 'outside')
    // A withdrawal takes its cost along, so it realizes no profit or loss.
    else book.withdraw(agent, amount)
  }
  return { rows: book.rows(), entries: book.entries, realizedPnlUsd, gasUsd, sale }
}

/** Gas first: it was paid before anything was swapped. Movements of zero are left out. */
function inOrder(movements: readonly Movement[]): Movement[] {
  const moved = movements.filter(({ quantity }) => quantity > 0n)
  return [...moved.filter(({ kind }) => kind === 'gas'), ...moved.filter(({ kind }) => kind !== 'gas')]
}

function placeOf({ userId, walletAddress, chainId }: Booking): WalletKey {
  return { userId, walletAddress, chainId }
}
