import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { followGas } from '../books/follow-gas.ts'
import { postBooking } from '../books/post-booking.ts'
import { referenceText } from '../core/reference.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Booking, Ledger } from '../ports/ledger.ts'
import type { Outgoing, Reference } from '../ports/outbox.ts'
import type { Wallet } from '../ports/wallets.ts'
import { followFunding } from './funding.ts'

const address: Hex = '0x00000000000000000000000000000000000000a1'
const wallet = { id: 1, userId: 1, address, funding: 'sent', fundingFailure: null } as Partial<Wallet> as Wallet

/**
 * The ledger of one wallet, and a follower that updates it from one transaction. `fee` is the transaction's fee in the
 * block that currently contains it.
 */
function world(reference: Extract<Reference, { kind: 'gap' | 'wallet' }>) {
  const books = new Map<string, Booking>()
  const ledger = {
    book: async (booking: Booking) => !books.has(booking.reference) && books.set(booking.reference, booking).size > 0,
    unbook: async (key: string) => books.delete(key),
    entries: async (key: string) => [...(books.has(key) ? postBooking(books.get(key)!, [], []).entries : [])],
  } as unknown as Ledger
  const ports = {
    ledger,
    clock: clockAt(() => new Date(0)),
    wallets: { load: async () => wallet, findByAddress: async () => wallet, setFunding: async () => {} },
    grants: { amounts: [{ token: 'native', amount: 5n }] },
  } as unknown as Ports
  return {
    async follow(change: Partial<Outgoing>, fee = 0n) {
      const info = { id: 1, tokens: [], nativeUsdFeed: null }
      const chain = { info, receipt: async () => ({ feeWei: fee }) } as unknown as Chain
      const transactions = [{ hash: '0x01' as Hex, from: wallet.address, ...change } as Outgoing]
      if (reference.kind === 'gap') await followGas(ports, chain, reference, transactions)
      else await followFunding(ports, chain, reference, transactions, () => {})
    },
    booked: () => books.get(referenceText(reference))?.movements.map(({ quantity }) => quantity) ?? [],
  }
}

test('Gas is booked at the price of the current block of the transaction', async () => {
  const { follow, booked } = world({ kind: 'gap', id: 'a:1' })
  await follow({ state: 'included', outcome: 'success' }, 100n)
  await follow({ state: 'safe', outcome: 'success' }, 100n)
  expect(booked()).toEqual([100n])
  await follow({ state: 'included', outcome: 'success' }, 90n) // a reorganisation has replaced the first block
  expect(booked()).toEqual([90n])
})

test('The gas booking is removed once the mined transaction has failed for good', async () => {
  const { follow, booked } = world({ kind: 'gap', id: 'a:1' })
  await follow({ state: 'included', outcome: 'success' }, 100n)
  await follow({ state: 'failed', outcome: null })
  expect(booked()).toEqual([])
})

test('The booking of starting money is removed where its payment was cancelled', async () => {
  const { follow, booked } = world({ kind: 'wallet', id: 1, failed: 0 })
  await follow({ state: 'included', outcome: 'success' })
  expect(booked()).toEqual([5n])
  await follow({ state: 'included', outcome: 'cancelled' })
  expect(booked()).toEqual([])
})
