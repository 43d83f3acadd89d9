import { sameAddress } from '../ports/chains.ts'
import type { Booking, Movement, Place, Post } from '../ports/ledger.ts'
import { openBook } from './positions.ts'

/**
 * Works out what a booking does to the positions: what is paid leaves at average cost, what is received comes in at what
 * the trade was worth, and gas is a loss. Rows of other tokens are left out of the answer.
 */
export const postBooking: Post = (booking, stored) => {
  const { agent, at, movements } = booking
  // Any agent of the wallet may have to lend what is paid.
  const touched = stored.filter((row) => movements.some(({ token }) => sameAddress(token, row.token)))
  const book = openBook(placeOf(booking), touched, at)
  let realizedPnlUsd = 0n
  for (const { kind, ...amount } of inOrder(movements)) {
    if (kind === 'paid') realizedPnlUsd += book.sell(agent, amount, amount.valueUsd, 'market')
    else if (kind === 'received') book.deposit(agent, amount, 'market')
    else if (kind === 'gas') book.sell(agent, amount, 0n, 'gas')
    else if (kind === 'deposit') book.deposit(agent, amount, 'outside')
    // What leaves for another place takes its cost along: nothing is earned or lost by it.
    else book.withdraw(agent, amount)
  }
  return { rows: book.rows(), entries: book.entries, realizedPnlUsd }
}

/** Gas first: it was paid before anything was swapped. Nothing that moved nothing is kept. */
function inOrder(movements: readonly Movement[]): Movement[] {
  const moved = movements.filter(({ quantity }) => quantity > 0n)
  return [...moved.filter(({ kind }) => kind === 'gas'), ...moved.filter(({ kind }) => kind !== 'gas')]
}

function placeOf({ userId, walletAddress, chainId }: Booking): Place {
  return { userId, walletAddress, chainId }
}
