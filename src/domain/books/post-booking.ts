import { type Hex, sameAddress } from '../ports/chains.ts'
import type { Booking, Movement, Portion, PositionRow, Post, Posted, WalletKey } from '../ports/ledger.ts'
import { bounded, returned } from './away.ts'
import { openBook } from './positions.ts'

/**
 * Works out how a booking changes the positions: tokens paid leave at average cost, tokens received enter at the value of
 * the trade, which may be that cost, and gas is a loss. Rows of other tokens are not returned. The invariants of the ledger:
 *
 * L1. The entries of a booking sum to zero for each token.
 * L2. A reference is booked at most once at a time.
 * L3. The bookings of an account are written one after the other, in every process.
 * L4. A booking, its positions and its fill are written in one database transaction.
 * L5. Removing a booking restores the positions before it, and posts the later bookings of its account on the chain again
 *     in order, because what one wallet sends another one has its cost.
 */
export const postBooking: Post = (booking, stored, away) => {
  const { agent, movements, trade } = booking
  const bookOf = openBooks(booking, stored)
  const book = bookOf(booking.walletAddress)
  let lots: readonly Portion[] | null = null
  let realizedPnlUsd = 0n
  let gasUsd = 0n
  let sale: Posted['sale'] = null
  for (const amount of inOrder(movements)) {
    const { kind } = amount
    if (kind === 'paid') {
      const sold = book.sell(agent, amount, trade?.valuedBy === 'cost' ? 'cost' : amount.valueUsd, 'market')
      realizedPnlUsd += sold.profitUsd
      sale = { ...sold, openedAt: book.openedAt(agent, amount.token) }
    } else if (kind === 'received')
      book.deposit(agent, trade?.valuedBy === 'cost' ? { ...amount, valueUsd: sale?.valueUsd ?? 0n } : amount, 'market')
    else if (kind === 'gas') gasUsd -= book.sell(agent, amount, 0n, 'gas').profitUsd
    else if (kind === 'deposit') book.deposit(agent, amount, 'outside')
    else if (kind === 'moved') bookOf(amount.to).put(bookOf(amount.from).take(agent, amount, 'own'), 'own')
    else if (kind === 'away') lots = [...(lots ?? away), ...book.take(agent, amount, 'bridge')]
    else if (kind === 'back') {
      const { taken, left, lacking } = returned(lots ?? away, amount)
      book.put(taken, 'bridge')
      if (lacking.quantity > 0n) book.deposit(agent, lacking, 'outside')
      lots = left
    }
    // A withdrawal takes its cost along, so it realizes no profit or loss.
    else book.take(agent, amount, 'outside')
  }
  const books = bookOf.all()
  return {
    rows: books.flatMap((one) => one.rows()),
    entries: books.flatMap(({ entries }) => entries),
    away: lots && bounded(lots),
    realizedPnlUsd,
    gasUsd,
    sale,
  }
}

/** Opens the books of the wallets that a booking touches, each on first use, with their positions in its tokens. */
function openBooks(booking: Booking, stored: readonly PositionRow[]) {
  const books = new Map<string, ReturnType<typeof openBook>>()
  // Any agent of the wallet may have to lend the tokens that are paid.
  const touched = stored.filter((row) => booking.movements.some(({ token }) => sameAddress(token, row.token)))
  const bookOf = (walletAddress: Hex) => {
    const own = touched.filter((row) => sameAddress(row.walletAddress, walletAddress))
    const book =
      books.get(walletAddress.toLowerCase()) ?? openBook({ ...placeOf(booking), walletAddress }, own, booking.at)
    books.set(walletAddress.toLowerCase(), book)
    return book
  }
  return Object.assign(bookOf, { all: () => [...books.values()] })
}

/** Gas first: it was paid before anything was swapped. Movements of zero are left out. */
function inOrder(movements: readonly Movement[]): Movement[] {
  const moved = movements.filter(({ quantity }) => quantity > 0n)
  return [...moved.filter(({ kind }) => kind === 'gas'), ...moved.filter(({ kind }) => kind !== 'gas')]
}

function placeOf({ userId, walletAddress, chainId }: Booking): WalletKey {
  return { userId, walletAddress, chainId }
}
