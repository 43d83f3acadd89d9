import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import type { Chain, Chains, Hex } from '../ports/chains.ts'
import type { Booking, Found, Ledger, PositionRow } from '../ports/ledger.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { FundingState, Wallets } from '../ports/wallets.ts'
import { reconcile } from './reconcile.ts'

const token: Hex = '0x00000000000000000000000000000000000000c0'
const place = { userId: 1, walletAddress: '0x00000000000000000000000000000000000000a1' as Hex, chainId: 1 }
const booked7 = { ...place, agent: 'trading_team', token, quantity: 7n } as PositionRow

type Block = { number: bigint; hash: Hex }
const head: Block = { number: 9n, hash: '0x09' }

/**
 * The bookings of a wallet that holds 7 of a token by the books, for this balance on the chain and this newest block of
 * its transactions.
 */
async function found(balance: bigint | null, mined: Block | null = null, funding: FundingState = 'done') {
  const booked: Booking[] = []
  const ledger = {
    walletBooks: async () => new Map(),
    ownTransfers: async () => [],
    booked: async () => new Set(),
    positions: async () => [booked7],
    bookFound: async ({ bookings }: Found) => booked.push(...bookings) > 0,
  } as unknown as Ledger
  const chain = {
    info: { id: 1, tokens: [{ address: token, usdFeed: null }] },
    balances: async () => ({ native: 0n, tokens: [balance], block: head }),
    nonce: async () => 0,
    blockHash: async (number: bigint) => (number === head.number ? head.hash : null),
  }
  const outbox = { busy: async () => false, newestBlock: async () => mined } as unknown as Outbox
  const wallet = { address: place.walletAddress, funding, fresh: true }
  const wallets = { list: async () => [wallet] } as unknown as Wallets
  const chains = {} as Chains
  const [clock, ids] = [clockAt(() => new Date(0)), { uuid: () => 'one' }]
  await reconcile({ chains, clock, ids, ledger, outbox, wallets }, chain as unknown as Chain, place.userId)
  return booked.flatMap(({ movements }) => movements.map(({ kind, quantity }) => ({ kind, quantity })))
}

test('A token whose balance cannot be read is not booked as a withdrawal', async () => {
  expect(await found(null)).toEqual([])
})

test('Tokens that left without a trade are booked as a withdrawal', async () => {
  expect(await found(2n)).toEqual([{ kind: 'withdrawal', quantity: 5n }])
})

test('A balance that equals the books books nothing', async () => {
  expect(await found(7n)).toEqual([])
})

test('Nothing is booked while the newest booked block is not on the chain that returned the balances', async () => {
  expect(await found(2n, head)).toHaveLength(1)
  expect(await found(2n, { number: 9n, hash: '0x0a' }), 'a reorganisation').toEqual([])
  expect(await found(2n, { number: 10n, hash: '0x0a' }), 'the node lags behind').toEqual([])
})

test('Nothing is booked while the starting money is on its way, because its arrival books it', async () => {
  expect(await found(9n, null, 'wanted')).toEqual([])
  expect(await found(9n, null, 'sent')).toEqual([])
  expect(await found(9n, null, 'failed')).toHaveLength(1)
})
