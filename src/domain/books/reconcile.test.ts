import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import type { Chains, Hex } from '../ports/chains.ts'
import type { Booking, Ledger, PositionRow } from '../ports/ledger.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { FundingState, Wallets } from '../ports/wallets.ts'
import { reconcile } from './reconcile.ts'

const token: Hex = '0x00000000000000000000000000000000000000c0'
const place = { userId: 1, walletAddress: '0x00000000000000000000000000000000000000a1' as Hex, chainId: 1 }
const kept = { ...place, agent: 'trading_team', token, quantity: 7n } as PositionRow

type Block = { number: bigint; hash: Hex }
const head: Block = { number: 9n, hash: '0x09' }

/**
 * The bookings of a wallet that holds 7 of a token by the books, for this balance on the chain and this newest block of
 * its transactions.
 */
async function found(told: bigint | null, mined: Block | null = null, funding: FundingState = 'done') {
  const booked: Booking[] = []
  const ledger = {
    revision: async () => 1,
    positions: async () => [kept],
    book: async (booking: Booking) => booked.push(booking) > 0,
  } as unknown as Ledger
  const chain = {
    info: { id: 1, tokens: [{ address: token, usdFeed: null }] },
    balances: async () => ({ native: 0n, tokens: [told], block: head }),
    blockHash: async (number: bigint) => (number === head.number ? head.hash : null),
  }
  const chains = { find: () => chain } as unknown as Chains
  const outbox = { busy: async () => false, newestBlock: async () => mined } as unknown as Outbox
  const wallets = { findByAddress: async () => ({ funding }) } as unknown as Wallets
  const [clock, ids] = [clockAt(() => new Date(0)), { uuid: () => 'one' }]
  await reconcile({ chains, clock, ids, ledger, outbox, wallets }, place)
  return booked.flatMap(({ movements }) => movements.map(({ kind, quantity }) => ({ kind, quantity })))
}

test('A token whose balance cannot be read is not booked as having left', async () => {
  expect(await found(null)).toEqual([])
})

test('What left without a trade is booked as a withdrawal', async () => {
  expect(await found(2n)).toEqual([{ kind: 'withdrawal', quantity: 5n }])
})

test('A balance that the books hold already books nothing', async () => {
  expect(await found(7n)).toEqual([])
})

test('Nothing is found while a block of ours is not on the chain that told the balances', async () => {
  expect(await found(2n, head)).toHaveLength(1)
  expect(await found(2n, { number: 9n, hash: '0x0a' }), 'it left').toEqual([])
  expect(await found(2n, { number: 10n, hash: '0x0a' }), 'the node lags behind').toEqual([])
})

test('Nothing is found while the starting money is on its way, which is booked when it is there', async () => {
  expect(await found(9n, null, 'wanted')).toEqual([])
  expect(await found(9n, null, 'sent')).toEqual([])
  expect(await found(9n, null, 'failed')).toHaveLength(1)
})
