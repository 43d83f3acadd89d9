import { expect, test } from 'vitest'
import type { Chain, Hex, SentTransaction } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { PositionRow, Traced } from '../ports/ledger.ts'
import type { Wallet } from '../ports/wallets.ts'
import { postBooking } from './post-booking.ts'
import { traceOwn } from './trace-own.ts'

const [a, b, c, token] = ['a1', 'b2', 'c3', 'c0'].map((end) => `0x${end.padStart(40, '0')}`) as [Hex, Hex, Hex, Hex]

const sent = (change: Partial<SentTransaction>): SentTransaction => ({
  ...{ hash: '0x01', blockNumber: 100n, blockHash: '0xaa', index: 0, from: a, to: token },
  ...{ value: 0n, minted: 0n, withdrawn: 0n, feeWei: 1n, transfers: [], ...change },
})
const moved = (from: Hex, to: Hex) => [{ token, from, to, amount: 5n }]

type Given = {
  wallets: readonly Hex[]
  traced?: Record<Hex, Traced>
  fresh?: boolean
  sentOf?: Record<Hex, SentTransaction[]>
  byOthers?: SentTransaction[]
  taken?: number[]
  busy?: Hex[]
}

/** What is found at block 110, where each wallet has sent nine transactions. */
async function trace({ wallets, traced = {}, fresh = true, sentOf = {}, byOthers = [], taken = [], busy = [] }: Given) {
  const ports = {
    ledger: { booked: async () => new Set() },
    outbox: { takenNonces: async () => taken },
    clock: { now: () => new Date(0) },
  } as unknown as Ports
  const searched: Hex[] = []
  const chain = {
    info: { id: 1, tokens: [], nativeUsdFeed: null },
    nonce: async () => 9,
    sentBy: async (account: Hex) => searched.push(account) > 0 && (sentOf[account] ?? []),
    movedBetween: async () => byOthers,
    price: async () => null,
  } as unknown as Chain
  const books = new Map(Object.entries(traced).map(([key, one]) => [key as Hex, { revision: 1, traced: one }]))
  const found = await traceOwn(ports, chain, {
    wallets: wallets.map((address) => ({ userId: 1, address, fresh }) as Wallet),
    ...{ books, busy: new Set(busy), block: { number: 110n, hash: '0x09', timestamp: 0n } },
  })
  return { ...found, searched }
}

const at = (block: bigint, nonce = 0): Traced => ({ block, nonce })

test('what a reorganisation mined again in an earlier block than its receiver was traced to is paired', async () => {
  const sentOf = { [a]: [sent({ blockNumber: 103n, transfers: moved(a, b) })] }
  expect(
    (await trace({ wallets: [a, b], traced: { [a]: at(90n, 8), [b]: at(105n, 9) }, sentOf })).bookings,
  ).toHaveLength(1)
})

test('what a wallet sent before it was first seen is left to the books as they are', async () => {
  const found = await trace({ wallets: [a, b], fresh: false, byOthers: [sent({ from: c, transfers: moved(a, b) })] })
  expect(found.bookings).toEqual([])
  expect([...found.traced.values()].map(({ after }) => after)).toEqual([at(110n, 9), at(110n, 9)])
})

test('transactions of one block keep their order', async () => {
  const traced = { [a]: at(90n), [b]: at(90n), [c]: at(90n) }
  const sentOf = {
    [a]: [sent({ hash: '0x01', transfers: moved(a, b) })],
    [b]: [sent({ hash: '0x02', index: 1, from: b, transfers: moved(b, c) })],
  }
  const { bookings } = await trace({ wallets: [b, a, c], traced, sentOf })
  const open = { quantity: 5n, costUsd: 777n, realizedPnlUsd: 0n, openedAt: null, updatedAt: new Date(0) }
  let rows: PositionRow[] = [{ userId: 1, chainId: 1, walletAddress: a, agent: 'momentum', token, ...open }]
  for (const booking of bookings) {
    const posted = postBooking(booking, rows, []).rows
    const isPosted = (row: PositionRow) =>
      posted.some(
        (one) => one.walletAddress === row.walletAddress && one.agent === row.agent && one.token === row.token,
      )
    rows = [...rows.filter((row) => !isPosted(row)), ...posted]
  }
  const held = rows.filter((row) => row.token === token && row.quantity > 0n)
  expect(held).toMatchObject([{ walletAddress: c, agent: 'momentum', costUsd: 777n }])
})

test("the gateway's own transactions are not found", async () => {
  const { bookings, searched } = await trace({
    ...{ wallets: [a, b], traced: { [a]: at(90n, 8), [b]: at(90n, 8) }, taken: [8] },
    byOthers: [sent({ to: a, transfers: moved(a, b) })],
  })
  expect([bookings, searched]).toEqual([[], []])
})

test('what a busy wallet sent waits for it, with all that received it, and is not searched', async () => {
  const given = { wallets: [a, b], traced: { [a]: at(90n, 8), [b]: at(90n, 9) }, busy: [a] }
  const { bookings, traced, searched } = await trace({ ...given, sentOf: { [a]: [sent({ transfers: moved(a, b) })] } })
  expect([bookings, traced.size, searched]).toEqual([[], 0, []])
  const byOthers = await trace({ ...given, taken: [8], byOthers: [sent({ from: c, transfers: moved(a, b) })] })
  expect([byOthers.bookings, byOthers.traced.size]).toEqual([[], 0])
})

test('a busy wallet can receive', async () => {
  const sentOf = { [b]: [sent({ from: b, transfers: moved(b, a) })] }
  const found = await trace({ wallets: [a, b], traced: { [a]: at(90n, 9), [b]: at(90n, 8) }, busy: [a], sentOf })
  expect([found.bookings.length, [...found.traced.keys()]]).toEqual([1, [b]])
})
