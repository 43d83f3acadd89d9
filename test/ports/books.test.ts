import { expect, test } from 'vitest'
import { openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { openLedger } from '../../src/adapters/storage/trading/ledger.ts'
import { postBooking } from '../../src/domain/books/post-booking.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { Booking, Ledger } from '../../src/domain/ports/ledger.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

const from: Hex = '0xAbCdef0000000000000000000000000000000001'
const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)

eachDatabase('the books', (open) => {
  const booking = (userId: number, reference: string, change: Partial<Booking> = {}): Booking => ({
    userId,
    reference,
    walletAddress: from,
    chainId: 1,
    agent: 'trading_team',
    at,
    movements: [{ kind: 'deposit', token: '0x01', quantity: 2n ** 200n, valueUsd: 2n ** 190n }],
    trade: null,
    ...change,
  })
  const swap = (userId: number, reference: string, quantity: bigint, change: Partial<Booking> = {}) => {
    const valueUsd = quantity * 3n
    return booking(userId, reference, {
      movements: [
        { kind: 'gas', token: '0x00', quantity: 7n, valueUsd: 14n },
        { kind: 'paid', token: '0x01', quantity, valueUsd },
        { kind: 'received', token: '0x02', quantity: quantity * 2n, valueUsd },
      ],
      trade: {
        tokenIn: '0x01',
        tokenOut: '0x02',
        amountIn: quantity,
        amountOut: quantity * 2n,
        valueUsd,
        transactionHash: '0xaa',
      },
      ...change,
    })
  }
  const ledgerOn = (database: Database) => openLedger(database, postBooking)

  test('books a reference once for concurrent requests', async () => {
    const stores = [ledgerOn(await open()), ledgerOn(await open())]
    const userId = await addAccount(await open())
    const first = await Promise.all(stores.map((ledger) => ledger.book(booking(userId, 'a'))))
    expect(first.toSorted()).toEqual([false, true])
    await Promise.all(['b', 'c', 'd'].map((reference, index) => stores[index % 2]!.book(booking(userId, reference))))
    expect(await stores[0]!.positions({ userId })).toMatchObject([{ quantity: 4n * 2n ** 200n, realizedPnlUsd: 0n }])
    expect(await stores[0]!.positions({ userId, agent: 'other' })).toEqual([])
  })

  test('one holding is one position, however its wallet and its token are written', async () => {
    const database = await open()
    const [ledger, userId] = [ledgerOn(database), await addAccount(database)]
    const [upper, lower] = [
      '0xAB00000000000000000000000000000000000001',
      '0xab00000000000000000000000000000000000001',
    ] as const
    const of = (walletAddress: Hex, token: Hex): Partial<Booking> => ({
      walletAddress,
      movements: [{ kind: 'deposit', token, quantity: 5n, valueUsd: 10n }],
    })
    await ledger.book(booking(userId, 'a', of(upper, upper)))
    await ledger.book(booking(userId, 'b', of(lower, lower)))
    const before = await ledger.positions({ userId })
    expect(before).toMatchObject([{ walletAddress: upper, token: upper, quantity: 10n, costUsd: 20n }])
    await ledger.book(booking(userId, 'c', of(upper, lower)))
    expect(await ledger.unbook('a')).toBe(true)
    expect(await ledger.positions({ userId })).toMatchObject([{ quantity: 10n, costUsd: 20n }])
    for (const reference of ['b', 'c']) await ledger.unbook(reference)
    expect(await ledger.positions({ userId })).toEqual([])
    await ledger.book(booking(userId, 'd', of(upper, upper)))
    const both = ['e', 'f'].map((reference) => booking(userId, reference, of(lower, lower)))
    const found = { userId, chainId: 1, bookings: both, transfers: [], traced: new Map(), revisions: new Map() }
    expect(await ledger.bookFound(found)).toBe(true)
    expect(await ledger.positions({ userId })).toMatchObject([{ walletAddress: upper, token: upper, quantity: 15n }])
  })

  test('an own transfer whose block left the chain is taken out, and its wallet traced again', async () => {
    const [ledger, userId] = [ledgerOn(await open()), await addAccount(await open())]
    const wallet = from.toLowerCase() as Hex
    const of = (reference: string, block: bigint) => {
      const before = { block: block - 5n, nonce: Number(block) - 1 }
      return { reference, walletAddress: from, block, blockHash: '0xaa' as Hex, before }
    }
    const transfers = [of('own:1', 10n), of('own:2', 11n), of('own:3', 12n)]
    const found = {
      ...{ userId, chainId: 1, transfers, revisions: new Map() },
      bookings: transfers.map(({ reference }) => booking(userId, reference)),
      traced: new Map([[wallet, { before: null, after: { block: 20n, nonce: 13 } }]]),
    }
    expect(await ledger.bookFound(found)).toBe(true)
    expect(await ledger.bookFound({ ...found, bookings: [], transfers: [] }), 'traced meanwhile').toBe(false)
    expect(await ledger.booked(['own:1', 'own:4'])).toEqual(new Set(['own:1']))
    await ledger.settleOwnTransfers(userId, 1, 10n, transfers.slice(1))
    expect(await ledger.ownTransfers(userId, 1)).toEqual([])
    expect(await ledger.booked(transfers.map(({ reference }) => reference))).toEqual(new Set(['own:1']))
    expect(await ledger.positions({ userId })).toMatchObject([{ quantity: 2n ** 200n }])
    expect((await ledger.walletBooks(userId, 1, [from])).get(wallet)?.traced).toEqual({ block: 6n, nonce: 10 })
  })

  test('what was worked out from a reading is booked only while the books stand as they were read', async () => {
    const [here, there] = [ledgerOn(await open()), ledgerOn(await open())]
    const userId = await addAccount(await open())
    const wallet = from.toLowerCase() as Hex
    const revision = async (ledger: Ledger, chainId = 1) =>
      (await ledger.walletBooks(userId, chainId, [wallet])).get(wallet)?.revision ?? 0
    const found = async (ledger: Ledger, reference: string, read: number) =>
      await ledger.bookFound({
        ...{ userId, chainId: 1, transfers: [], traced: new Map() },
        bookings: [booking(userId, reference)],
        revisions: new Map([[wallet, read]]),
      })
    expect(await revision(here)).toBe(0)
    await here.book(booking(userId, 'a'))
    const read = await revision(here)
    // As many bookings as before, and the newest has the same place in their order.
    await there.unbook('a')
    await there.book(booking(userId, 'b', { movements: [] }))
    expect(await found(here, 'found', read)).toBe(false)
    const both = [here, there].map(async (ledger, index) => found(ledger, `found ${index}`, await revision(ledger)))
    expect((await Promise.all(both)).toSorted().at(-1)).toBe(true)
    const again = await revision(here)
    expect(await Promise.all([here, there].map((ledger) => found(ledger, 'more', again)))).toContain(false)
    expect(await revision(here)).toBe(again + 1)
    expect(await revision(here, 2)).toBe(0)
  })

  test('a failure in the arithmetic books nothing', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const broken = openLedger(database, () => {
      throw new Error('broken')
    })
    await expect(broken.book(booking(userId, 'a'))).rejects.toThrow('broken')
    expect(await ledgerOn(database).book(booking(userId, 'a'))).toBe(true)
  })

  test('keeps the lines of a booking, which sum to nothing for each token', async () => {
    const database = await open()
    const [ledger, userId] = [ledgerOn(database), await addAccount(database)]
    await ledger.book(booking(userId, 'in'))
    await ledger.book(swap(userId, 'swap', 5n, { agent: 'momentum' }))
    expect(await ledger.entries('swap')).toEqual([
      { account: 'outside', token: '0x00', quantity: -7n },
      { account: 'holding:momentum', token: '0x00', quantity: 7n },
      { account: 'holding:momentum', token: '0x00', quantity: -7n },
      { account: 'gas', token: '0x00', quantity: 7n },
      { account: 'holding:trading_team', token: '0x01', quantity: -5n },
      { account: 'holding:momentum', token: '0x01', quantity: 5n },
      { account: 'holding:momentum', token: '0x01', quantity: -5n },
      { account: 'market', token: '0x01', quantity: 5n },
      { account: 'market', token: '0x02', quantity: -10n },
      { account: 'holding:momentum', token: '0x02', quantity: 10n },
    ])
    expect(await ledger.entries('none')).toEqual([])
  })

  test('a booking taken out leaves the books as if it had never been, and may be made again', async () => {
    const database = await open()
    const [ledger, userId] = [ledgerOn(database), await addAccount(database, 1)]
    const other = await addAccount(database, 2)
    const books = async (of: number) => [
      (await ledger.positions({ userId: of })).map((row) => ({ ...row, userId: 0 })),
      await ledger.volume({ userId: of }),
    ]
    await ledger.book(booking(other, 'other in'))
    for (const reference of ['2', '3']) await ledger.book(swap(other, `other ${reference}`, BigInt(reference)))
    await ledger.book(booking(userId, 'in'))
    await ledger.book(swap(userId, '1', 1_000n, { agent: 'momentum' }))
    for (const reference of ['2', '3']) await ledger.book(swap(userId, reference, BigInt(reference)))
    const whole = await books(userId)
    expect(await Promise.all([ledger.unbook('1'), ledger.unbook('1')])).toEqual(expect.arrayContaining([true, false]))
    expect(await books(userId)).toEqual(await books(other))
    await ledger.book(swap(userId, '1', 1_000n, { agent: 'momentum' }))
    expect((await books(userId))[1]).toEqual(whole[1])
    expect(await ledger.unbook('none')).toBe(false)
  })

  test('sums volume by agent in any half-open range, over hours and days', async () => {
    const database = await open()
    const [ledger, userId] = [ledgerOn(database), await addAccount(database)]
    const trades = [0, 1, 2, 3_599, 3_600, 90_000, 90_001, 400_000].map((seconds, index) => {
      return { at: later(seconds), agent: index % 2 === 0 ? 'b' : 'a', worth: 3n * 10n ** BigInt(index) }
    })
    for (const [index, { at, agent, worth }] of trades.entries()) {
      await ledger.book(swap(userId, `${index}`, worth / 3n, { agent, at }))
    }
    const traded = async (filter: Parameters<typeof ledger.volume>[0]) =>
      (await ledger.volume(filter)).flatMap(({ agent, valueUsd }) => (valueUsd === 0n ? [] : [{ agent, valueUsd }]))
    const moments = [undefined, ...[0, 1, 3, 3_600, 4_000, 86_400, 90_001, 500_000].map(later)]
    for (const start of moments) {
      for (const end of moments) {
        const range = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
        const inside = trades.filter(
          ({ at }) => (start === undefined || at >= start) && (end === undefined || at < end),
        )
        const sums = ['a', 'b'].flatMap((agent) => {
          const valueUsd = inside.reduce((sum, trade) => (trade.agent === agent ? sum + trade.worth : sum), 0n)
          return valueUsd === 0n ? [] : [{ agent, valueUsd }]
        })
        expect(await traded({ userId, ...range }), `${start} to ${end}`).toEqual(sums)
      }
    }
    expect(await traded({ userId, agent: 'b', end: later(1) })).toEqual([{ agent: 'b', valueUsd: 3n }])
    expect(await traded({ userId: userId + 1 })).toEqual([])
  })
})

eachDatabase('stop orders', (open) => {
  test('a halt covers what it names until it is lifted, in every process', async () => {
    const [one, two] = [openHalts(await open()), openHalts(await open())]
    expect(await one.covering(1, from)).toBeNull()
    await one.set({ scope: 'wallet', id: from }, at)
    await one.set({ scope: 'wallet', id: from.toLowerCase() }, at)
    expect(await two.covering(1, from.toLowerCase() as Hex)).toEqual({ scope: 'wallet', id: from.toLowerCase() })
    expect(await two.covering(1, '0x01')).toBeNull()
    await one.set({ scope: 'chain', id: '2' }, later(1))
    expect(await two.covering(2, '0x01')).toMatchObject({ scope: 'chain', id: '2' })
    await one.set({ scope: 'global', id: '' }, later(2))
    expect(await two.covering(1, '0x01')).toMatchObject({ scope: 'global' })
    expect((await two.list()).map(({ scope }) => scope)).toEqual(['wallet', 'chain', 'global'])
    for (const halt of await two.list()) await one.clear(halt)
    expect(await two.list()).toEqual([])
  })
})
