import { expect, test } from 'vitest'
import { openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { openAccountFeed } from '../../src/adapters/storage/trading/account-feed.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openLedger } from '../../src/adapters/storage/trading/ledger.ts'
import { postBooking } from '../../src/domain/books/post-booking.ts'
import type { FeedEvent } from '../../src/domain/ports/account-feed.ts'
import type { Booking } from '../../src/domain/ports/ledger.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { seeded } from '../seeded.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at, walletOf } from './rows.ts'
import { executionOf, from, later } from './trade-rows.ts'

const start = { own: 0, halts: 0 }
const longAgo = new Date(0)

eachDatabase('the feed of an account', (open) => {
  const deposit = (userId: number, reference: string): Booking => ({
    userId,
    reference,
    walletAddress: from,
    chainId: 1,
    agent: 'trading_team',
    at,
    movements: [{ kind: 'deposit', token: '0x01', quantity: 5n, valueUsd: 10n }],
    trade: null,
  })

  /** Begins a trade that has its nonce, and moves it to `included`. */
  async function trade(database: Database, userId: number, key: string): Promise<string> {
    const executions = openExecutions(database)
    const begun = await executions.begin(executionOf(userId, { idempotencyKey: key, state: 'reserved', step: 3 }))
    const moves = [
      moveOf('reserved', 'signed'),
      moveOf('signed', 'broadcast'),
      moveOf('broadcast', 'included'),
    ] as const
    let now = begun.execution
    for (const [index, move] of moves.entries())
      now = (await executions.move(now, [{ move, change: { updatedAt: later(index + 1) } }]))!
    return now.id
  }

  /** Follows the feed until it has so many events. */
  async function follow(database: Database, userId: number, count: number, place = start): Promise<FeedEvent[]> {
    const leaving = new AbortController()
    const seen: FeedEvent[] = []
    for await (const event of openAccountFeed(database, 20).follow(userId, place, longAgo, leaving.signal)) {
      seen.push(event)
      if (seen.length === count) break
    }
    return seen
  }

  test('simultaneous writers of several processes: each event once, in one order for every reader', async () => {
    const here = await open()
    const there = await open()
    const [ada, grace] = [await addAccount(here), await addAccount(here, 2)]
    const random = seeded(36)
    const readers = [here, there].map(async (database) => await follow(database, ada, 80))
    const work = Array.from({ length: 20 }, async (_, index) => {
      const database = random() < 0.5 ? here : there
      await trade(database, ada, `key ${index}`)
      await openLedger(database, postBooking).book(deposit(ada, `reference ${index}`))
      await trade(database, grace, `key ${index}`)
    })
    await Promise.all(work)
    const [first, second] = await Promise.all(readers)
    expect(second).toEqual(first)
    expect(first!.map(({ place }) => place.own)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1))
    const executions = first!.flatMap((event) => (event.kind === 'execution' ? [event.execution] : []))
    const byTrade = Map.groupBy(executions, ({ id }) => id)
    expect(byTrade.size).toBe(20)
    for (const moves of byTrade.values())
      expect(moves.map(({ state, step }) => [state, step])).toEqual([
        ['signed', 4],
        ['broadcast', 5],
        ['included', 6],
      ])
    const quantities = first!.flatMap((event) => (event.kind === 'position' ? [event.position.quantity] : []))
    expect(quantities).toEqual(Array.from({ length: 20 }, (_, index) => 5n * BigInt(index + 1)))
    expect(await openAccountFeed(here).span(ada)).toEqual({ newest: { own: 80, halts: 0 }, oldest: 1 })
  })

  test('a trade without a nonce has no event, and a removed booking leaves a position of nothing', async () => {
    const database = await open()
    const ada = await addAccount(database)
    const executions = openExecutions(database)
    const { execution } = await executions.begin(executionOf(ada))
    const simulated = { move: moveOf('requested', 'simulated'), change: { updatedAt: later(1) } } as const
    await executions.move(execution, [simulated])
    await executions.discard(execution.id, 'the risk is high')
    const ledger = openLedger(database, postBooking)
    await ledger.book(deposit(ada, 'one'))
    await ledger.unbook('one')
    expect(await ledger.unbook('one')).toBe(false)
    expect(await follow(database, ada, 2)).toMatchObject([
      { place: { own: 1 }, position: { quantity: 5n, costUsd: 10n } },
      { place: { own: 2 }, position: { quantity: 0n, costUsd: 0n } },
    ])
  })

  test('halts come once: those of everybody, of a chain and of the own wallets, set again or not', async () => {
    const here = await open()
    const there = await open()
    const [ada, grace] = [await addAccount(here), await addAccount(here, 2)]
    const own = { scope: 'wallet', id: walletOf(1).address } as const
    const reader = follow(there, ada, 4)
    const halts = openHalts(here)
    await Promise.all([halts.set(own, at), halts.set(own, at)])
    await halts.set({ scope: 'wallet', id: walletOf(2).address }, at)
    await halts.set({ scope: 'global', id: '' }, later(1))
    await halts.clear({ scope: 'chain', id: '1' }) // is not in force
    await halts.set({ scope: 'chain', id: '1' }, later(2))
    await halts.clear(own)
    expect(await reader).toMatchObject([
      { place: { own: 0, halts: 1 }, halt: { scope: 'wallet', id: own.id.toLowerCase() }, halted: true, at },
      { place: { own: 0, halts: 3 }, halt: { scope: 'global', id: '' }, halted: true, at: later(1) },
      { place: { own: 0, halts: 4 }, halt: { scope: 'chain', id: '1' }, halted: true },
      { place: { own: 0, halts: 5 }, halt: { scope: 'wallet' }, halted: false },
    ])
    expect(await follow(here, grace, 2, { own: 0, halts: 2 })).toMatchObject([{ halted: true }, { halted: true }])
  })

  test('old events are deleted, and the span says from where the rest can be read', async () => {
    const database = await open()
    const ada = await addAccount(database)
    await trade(database, ada, 'key')
    const feed = openAccountFeed(database)
    expect(await feed.purge(later(1), 1)).toBe(0)
    expect(await feed.purge(later(2), 1)).toBe(1)
    expect(await feed.purge(later(3), 5)).toBe(1)
    expect(await feed.span(ada)).toEqual({ newest: { own: 3, halts: 0 }, oldest: 3 })
    expect(await feed.purge(later(9), 5)).toBe(1)
    expect(await feed.span(ada)).toEqual({ newest: { own: 3, halts: 0 }, oldest: 4 })
  })
})
