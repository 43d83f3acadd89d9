import { expect, test } from 'vitest'
import { postBooking } from '../books/post-booking.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Booking, Ledger } from '../ports/ledger.ts'
import type { Outgoing } from '../ports/outbox.ts'
import type { Wallet } from '../ports/wallets.ts'
import { follow } from './follow.ts'

const address: Hex = '0x00000000000000000000000000000000000000a1'
const wallet = { id: 1, userId: 1, address, funding: 'sent', fundingFailure: null } as Partial<Wallet> as Wallet
const money = 'native'
type Ports = Parameters<typeof follow>[0]

/** Books of one wallet, and what following a transaction of it needs. `fee` is what the present block asked. */
function world(reference: string) {
  const books = new Map<string, Booking>()
  const ledger = {
    book: async (booking: Booking) => !books.has(booking.reference) && books.set(booking.reference, booking).size > 0,
    unbook: async (name: string) => books.delete(name),
    entries: async (name: string) => [...(books.has(name) ? postBooking(books.get(name)!, []).entries : [])],
  } as unknown as Ledger
  const ports = {
    ledger,
    clock: { now: () => new Date(0) },
    outbox: { markTold: async () => {} },
    wallets: { load: async () => wallet, findByAddress: async () => wallet, setFunding: async () => {} },
    grants: { amounts: [{ token: money, amount: 5n }] },
  } as unknown as Ports
  return {
    async tell(leg: Partial<Outgoing>, fee = 0n) {
      const info = { id: 1, tokens: [], nativeUsdFeed: null }
      const chain = { info, receipt: async () => ({ feeWei: fee }) } as unknown as Chain
      await follow(
        ports,
        chain,
        reference,
        [{ hash: '0x01' as Hex, from: wallet.address, ...leg } as Outgoing],
        () => {},
      )
    },
    booked: () => books.get(reference)?.movements.map(({ quantity }) => quantity) ?? [],
  }
}

test('Gas is booked as the block asked it that is there now', async () => {
  const { tell, booked } = world('gap:a:1')
  await tell({ state: 'included', outcome: 'success' }, 100n)
  await tell({ state: 'safe', outcome: 'success' }, 100n)
  expect(booked()).toEqual([100n])
  await tell({ state: 'included', outcome: 'success' }, 90n) // the first block left the chain meanwhile
  expect(booked()).toEqual([90n])
})

test('Gas is not paid once the transaction that was mined is gone for good', async () => {
  const { tell, booked } = world('gap:a:1')
  await tell({ state: 'included', outcome: 'success' }, 100n)
  await tell({ state: 'failed', outcome: null })
  expect(booked()).toEqual([])
})

test('Starting money is taken out of the books where the chain that stays did not pay it', async () => {
  const { tell, booked } = world('wallet:1')
  await tell({ state: 'included', outcome: 'success' })
  expect(booked()).toEqual([5n])
  await tell({ state: 'included', outcome: 'filled' })
  expect(booked()).toEqual([])
})
