import { expect, test } from 'vitest'
import { openFaucetClaims } from '../../src/adapters/storage/faucet-claims.ts'
import { openHalts } from '../../src/adapters/storage/halts.ts'
import { openLedger } from '../../src/adapters/storage/ledger.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { PositionRow } from '../../src/domain/ports/trades.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

const from: Hex = '0xAbCdef0000000000000000000000000000000001'
const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)

eachDatabase('the books', (open) => {
  const row = (userId: number, change: Partial<PositionRow> = {}): PositionRow => ({
    userId,
    agent: 'trading_team',
    walletAddress: from,
    chainId: 1,
    token: '0x01',
    quantity: 1n,
    costUsd: 2n,
    realizedPnlUsd: -3n,
    updatedAt: at,
    ...change,
  })

  test('books a reference once, whoever asks at once', async () => {
    const stores = [openLedger(await open()), openLedger(await open())]
    const userId = await addAccount(await open())
    const key = row(userId)
    const add = (rows: PositionRow[]) => ({
      rows: [{ ...key, quantity: (rows[0]?.quantity ?? 0n) + 2n ** 200n }],
      fill: null,
    })
    const first = await Promise.all(stores.map((ledger) => ledger.book('a', [key], add)))
    expect(first.toSorted()).toEqual([false, true])
    await Promise.all(['b', 'c', 'd'].map((reference, index) => stores[index % 2]!.book(reference, [key], add)))
    expect(await stores[0]!.positions({ userId })).toMatchObject([{ quantity: 4n * 2n ** 200n, realizedPnlUsd: -3n }])
    expect(await stores[0]!.positions({ userId, agent: 'other' })).toEqual([])
  })

  test('a failure in the arithmetic books nothing', async () => {
    const database = await open()
    const [ledger, userId] = [openLedger(database), await addAccount(database)]
    const broken = () => {
      throw new Error('broken')
    }
    await expect(ledger.book('a', [row(userId)], broken)).rejects.toThrow('broken')
    expect(await ledger.book('a', [row(userId)], () => ({ rows: [row(userId)], fill: null }))).toBe(true)
  })

  test('sums volume by agent in a half-open range', async () => {
    const database = await open()
    const [ledger, userId] = [openLedger(database), await addAccount(database)]
    for (const [index, agent] of ['b', 'a', 'b'].entries()) {
      const place = { userId, walletAddress: from, chainId: 1, agent }
      const trade = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, amountOut: 1n, transactionHash: '0xaa' } as const
      const fill = {
        ...place,
        ...trade,
        executionId: `${index}`,
        valueUsd: 10n ** 30n,
        realizedPnlUsd: -1n,
        at: later(index),
      }
      await ledger.book(`${index}`, [row(userId)], () => ({ rows: [], fill }))
    }
    const worth = 10n ** 30n
    expect(await ledger.volume({ userId })).toEqual([
      { agent: 'a', valueUsd: worth },
      { agent: 'b', valueUsd: 2n * worth },
    ])
    expect(await ledger.volume({ userId, start: later(1), end: later(2) })).toEqual([{ agent: 'a', valueUsd: worth }])
    expect(await ledger.volume({ userId, agent: 'b', end: later(2) })).toEqual([{ agent: 'b', valueUsd: worth }])
    expect(await ledger.volume({ userId: userId + 1 })).toEqual([])
  })
})

eachDatabase('stop orders and the faucet', (open) => {
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

  test('an address has one payment since the moment, whoever asks at once, and all have the cap', async () => {
    const stores = [openFaucetClaims(await open()), openFaucetClaims(await open())]
    const claim = (address: Hex, createdAt = at) => ({
      id: crypto.randomUUID(),
      address,
      amount: 10n ** 19n,
      createdAt,
    })
    const asked = [claim(from), claim(from.toLowerCase() as Hex)]
    const begun = await Promise.all(asked.map((one, index) => stores[index]!.begin(one, later(-1), 2)))
    expect(begun.filter(({ claimed }) => claimed)).toHaveLength(1)
    const paid = asked[begun.findIndex(({ claimed }) => claimed)]!
    expect(begun.find(({ claimed }) => !claimed)).toEqual({ claimed: false, last: paid })
    expect((await stores[0]!.begin(claim('0x01'), later(-1), 2)).claimed).toBe(true)
    expect(await stores[0]!.begin(claim('0x02'), later(-1), 2)).toEqual({ claimed: false, last: 'cap' })
    await stores[0]!.release(paid.id)
    expect((await stores[1]!.begin(claim(from, later(1)), later(-1), 2)).claimed).toBe(true)
    expect(await stores[1]!.find(paid.id)).toEqual(paid)
  })
})
