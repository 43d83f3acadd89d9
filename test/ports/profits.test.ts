import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { parseExact } from '../../src/adapters/storage/connection/exact-json.ts'
import { AwayEntity, BookingEntity } from '../../src/adapters/storage/entities/books.ts'
import { openLedger } from '../../src/adapters/storage/trading/ledger.ts'
import { defaultAgent } from '../../src/domain/books/positions.ts'
import { postBooking } from '../../src/domain/books/post-booking.ts'
import { listClosedTrades } from '../../src/domain/metrics/closed-trades.ts'
import { realizedPnl } from '../../src/domain/metrics/metrics.ts'
import { profitSeries, volumeSeries } from '../../src/domain/metrics/series.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { Booking, Ledger, Movement, Portion, PositionRow } from '../../src/domain/ports/ledger.ts'
import { parseUnits } from '../../src/domain/values/money.ts'
import { seed, sized } from '../sized.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at, walletOf } from './rows.ts'

const histories = { SQLite: sized(60, 1_000), PostgreSQL: sized(10, 60) }

const tokens: readonly Hex[] = ['0x00', '0x01', '0x02']
const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
const token = fc.nat(2)

/**
 * What happens to an account's two wallets, in turn: money that comes or goes, gas for nothing, a trade at any price, with
 * or without a feed, wrapping, what one wallet sends the other, what goes over the bridge and back, and a booking that is
 * taken back. What arrives of a trade has nothing to do with its value: fees, taxes and prices unlike the feed's.
 */
const step = fc.record({
  kind: fc.constantFrom(
    ...(['deposit', 'withdrawal', 'gas', 'trade', 'trade', 'wrap', 'moved', 'moved'] as const),
    ...(['away', 'back', 'take back'] as const),
  ),
  wallet: fc.nat(1),
  agent: fc.constantFrom('trading_team', 'momentum'),
  hours: fc.nat(40),
  token,
  other: token,
  quantity: amount,
  received: amount,
  valueUsd: amount,
  valuedBy: fc.constantFrom('token_in', 'token_out', 'cost'),
  gas: fc.bigInt({ min: 0n, max: 10n ** 15n }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function bookingOf(userId: number, { kind, agent, ...of }: Step, reference: string, when: Date): Booking {
  const tokenIn = tokens[of.token]!
  const tokenOut = tokens[of.other]!
  const wallets = [walletOf(userId).address, walletOf(userId + 1_000_000).address] as const
  const walletAddress = wallets[of.wallet]!
  const gas: Movement = { kind: 'gas', token: '0x00', quantity: of.gas, valueUsd: of.gas * 2n }
  const place = { userId, walletAddress, chainId: 1, agent, reference, at: when }
  const moved = { token: tokenIn, quantity: of.quantity, valueUsd: of.valueUsd }
  if (kind === 'gas') return { ...place, movements: [gas], trade: null }
  if (kind === 'moved') {
    const sent: Movement = { kind, from: walletAddress, to: wallets[1 - of.wallet]!, ...moved }
    return { ...place, agent: defaultAgent, movements: [gas, sent], trade: null }
  }
  if (kind === 'away' || kind === 'back') {
    const sent: Movement = { kind, ...moved, token: '0x00' }
    return { ...place, agent: defaultAgent, movements: [gas, sent], trade: null }
  }
  if (kind !== 'trade' && kind !== 'wrap')
    return { ...place, movements: [{ kind: kind as 'deposit', ...moved }], trade: null }
  const amountIn = of.quantity || 1n
  const { valueUsd } = of
  const [amountOut, valuedBy] = kind === 'wrap' ? [amountIn, 'cost' as const] : [of.received || 1n, of.valuedBy]
  const received: Movement = { kind: 'received', token: tokenOut, quantity: amountOut, valueUsd }
  const facts = { tokenIn, tokenOut, amountIn, amountOut, valueUsd, valuedBy }
  const trade = { ...facts, transactionHash: `0x${'aa'.repeat(32)}` as const }
  return { ...place, movements: [gas, { kind: 'paid', ...moved, quantity: amountIn, valueUsd }, received], trade }
}

/** Books the history, and returns the moment after it. */
async function live(ledger: Ledger, userId: number, steps: readonly Step[]): Promise<Date> {
  const booked: string[] = []
  let now = at.getTime()
  for (const [index, one] of steps.entries()) {
    now += one.hours * 3_600_000 + 1
    const reference = `${userId}:${index}`
    if (one.kind === 'take back') {
      const taken = booked.splice(Number(one.quantity % BigInt(booked.length || 1)), 1)
      for (const trade of taken) expect(await ledger.unbook(trade)).toBe(true)
      continue
    }
    await ledger.book(bookingOf(userId, one, reference, new Date(now)))
    booked.push(reference)
  }
  return new Date(now + 1)
}

/**
 * Plays the stored bookings again, one after the other, and returns the positions by key. What each booking adds to cost
 * less realised profit must be what came from outside less what went there: the value of what enters, the cost of what
 * leaves. So realised plus unrealised profit, which is worth less cost, is worth less deposits plus withdrawals.
 */
async function replayed(database: Database, userId: number): Promise<Record<string, unknown>> {
  const rows = await database.tables.find(BookingEntity, { place: `${userId} 1` }, { orderBy: { seq: 'asc' } })
  const positions = new Map<string, PositionRow>()
  let away: readonly Portion[] = []
  for (const { facts } of rows) {
    const booking = parseExact<Booking>(facts)
    const [before, costAway] = [bookValue(positions), costOf(away)]
    const entered = enteredBy(booking, heldIn([...positions.values()]))
    const posted = postBooking(booking, [...positions.values()], away)
    for (const row of posted.rows) positions.set(keyOf(row), row)
    away = posted.away ?? away
    const leaving = booking.movements.some(({ kind, quantity }) => kind === 'withdrawal' && quantity > 0n)
    const change = bookValue(positions) + costOf(away) - before - costAway
    if (leaving) expect(change).toBeLessThanOrEqual(entered)
    else expect(change, booking.movements.map(({ kind }) => kind).join()).toBe(entered - missingBack(booking, posted))
    expect(posted.entries.reduce((sum, { quantity }) => sum + quantity, 0n)).toBe(0n)
  }
  return { positions: Object.fromEntries([...positions].map(([key, row]) => [key, essence(row)])), away }
}

const keyOf = ({ walletAddress, agent, token: of }: PositionRow) => `${walletAddress} ${agent} ${of}`
const essence = ({ quantity, costUsd, realizedPnlUsd }: PositionRow) => ({ quantity, costUsd, realizedPnlUsd })
const costOf = (parts: readonly Portion[]) => parts.reduce((sum, { costUsd }) => sum + costUsd, 0n)
const bookValue = (positions: ReadonlyMap<string, PositionRow>) =>
  [...positions.values()].reduce((sum, { costUsd, realizedPnlUsd }) => sum + costUsd - realizedPnlUsd, 0n)

const heldIn = (rows: readonly PositionRow[]) => {
  const held = new Map<string, bigint>()
  for (const { walletAddress, token: of, quantity } of rows)
    held.set(`${walletAddress} ${of}`, (held.get(`${walletAddress} ${of}`) ?? 0n) + quantity)
  return held
}

/** The value of what a booking brings from outside, and of what its wallet pays without holding it. */
function enteredBy({ movements, walletAddress }: Booking, held: Map<string, bigint>): bigint {
  const gasFirst = [...movements].sort((a, b) => Number(b.kind === 'gas') - Number(a.kind === 'gas'))
  let sum = 0n
  for (const { kind, token: of, quantity, valueUsd, ...rest } of gasFirst) {
    if (quantity === 0n) continue
    const key = `${walletAddress} ${of}`
    const present = held.get(key) ?? 0n
    const enters = kind === 'deposit' || kind === 'received' || kind === 'back'
    if (kind === 'deposit' || kind === 'back') sum += valueUsd
    if (!enters && present < quantity) sum += (valueUsd * (quantity - present)) / quantity
    held.set(key, enters ? present + quantity : present > quantity ? present - quantity : 0n)
    if ('to' in rest) held.set(`${rest.to} ${of}`, (held.get(`${rest.to} ${of}`) ?? 0n) + quantity)
  }
  return sum
}

/** What of a return over the bridge does not come from outside, but from what was away: its value is not added. */
function missingBack({ movements }: Booking, { entries }: ReturnType<typeof postBooking>): bigint {
  const back = movements.find(({ kind }) => kind === 'back')
  if (back === undefined || back.quantity === 0n) return 0n
  const returned = entries.reduce((sum, entry) => (entry.account === 'bridge' ? sum - entry.quantity : sum), 0n)
  return back.valueUsd - (back.valueUsd * (back.quantity - returned)) / back.quantity
}

const usd = (decimal: string) => (decimal.startsWith('-') ? -parseUnits(decimal.slice(1), 18) : parseUnits(decimal, 18))
const sum = (decimals: string[]) => decimals.reduce((total, decimal) => total + usd(decimal), 0n)

/** The realised profit by each way to read it, in 1e-18 USD, and the volume by two. */
async function readings(ledger: Ledger, userId: number, now: Date) {
  const ports = { ledger, clock: { now: () => now }, chains: { find: () => null } } as never
  const call = { principal: { userId, grant: null } } as never
  const profits: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listClosedTrades>> = await listClosedTrades(
      ports,
      { limit: 3, ...(cursor === null ? {} : { cursor }) },
      call,
    )
    profits.push(...page.items.map((item) => item.profit_usd_decimal))
    cursor = page.next_cursor
  } while (cursor !== null)
  const whole = { start: at.toISOString(), end: now.toISOString() }
  const days = (await profitSeries(ports, { ...whole, bucket: 'day' }, call)).points
  const lastHours = (await profitSeries(ports, { end: now.toISOString(), bucket: 'hour' }, call)).points
  const positions = await ledger.positions({ userId })
  const volume = await ledger.volume({ userId })
  const volumes = (await volumeSeries(ports, { ...whole, bucket: 'day' }, call)).points
  return {
    profits: {
      closed: sum(profits),
      positions: positions.reduce((total, row) => total + row.realizedPnlUsd, 0n),
      days: sum(days.map((point) => point.realized_pnl_usd_decimal)),
      daysTotal: usd(days.at(-1)!.total_realized_pnl_usd_decimal),
      hoursTotal: usd(lastHours.at(-1)!.total_realized_pnl_usd_decimal),
      summary: usd((await realizedPnl(ports, {}, call)).realized_pnl_usd_decimal),
    },
    volumes: {
      series: sum(volumes.map((point) => point.volume_usd_decimal)),
      summary: volume.reduce((total, { valueUsd }) => total + valueUsd, 0n),
    },
  }
}

eachDatabase('the profit of an account', (open) => {
  test('is the same by its closed trades, its positions and its series, for any history', async () => {
    const database = await open()
    const ledger = openLedger(database, postBooking)
    const numRuns = histories[database.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL']
    let accounts = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        accounts += 1
        const userId = await addAccount(database, accounts)
        const now = await live(ledger, userId, steps)
        const { profits, volumes } = await readings(ledger, userId, now)
        expect(
          new Set(Object.values(profits)).size,
          JSON.stringify(profits, (_, part) => String(part)),
        ).toBe(1)
        expect(volumes.series).toBe(volumes.summary)
        const stored = await ledger.positions({ userId })
        const away = await database.tables.findOne(AwayEntity, `${userId} 1`)
        expect(await replayed(database, userId)).toEqual({
          positions: Object.fromEntries(stored.map((row) => [keyOf(row), essence(row)])),
          away: away === null ? [] : parseExact(away.parts),
        })
      }),
      { numRuns, seed },
    )
  })

  test('a closed trade says what it cost, what it brought and how long it was held', async () => {
    const database = await open()
    const ledger = openLedger(database, postBooking)
    const userId = await addAccount(database, 1)
    const one = 10n ** 18n
    const plain = { wallet: 0, agent: 'trading_team', hours: 0, other: 2, received: 7n, gas: 0n } as const
    const common = { ...plain, valuedBy: 'token_in' } as const
    const deposit = { ...common, kind: 'deposit', token: 1, quantity: 4n * one, valueUsd: 40n * one } as const
    await ledger.book(bookingOf(userId, deposit, 'in', at))
    const later = new Date(at.getTime() + 90_000)
    const sale = { ...common, kind: 'trade', token: 1, quantity: one, valueUsd: 15n * one, gas: 3n } as const
    await ledger.book(
      bookingOf(userId, { ...common, kind: 'deposit', token: 0, quantity: 9n, valueUsd: 9n }, 'eth', at),
    )
    await ledger.book(bookingOf(userId, sale, 'sale', later))
    const [closed, ...others] = (await ledger.closed({ userId, after: null }, 9))!
    expect(others).toEqual([])
    expect(closed).toMatchObject({ reference: 'sale', at: later, openedAt: at, profitUsd: 5n * one - 3n, gasUsd: 3n })
    expect(await ledger.closed({ userId: userId + 1, after: 'sale' }, 9)).toBeNull()
    expect(await ledger.closed({ userId, after: 'sale' }, 9)).toEqual([])
  })

  test('snapshots are stored where they changed, carried on, and deleted by their size', async () => {
    const database = await open()
    const ledger = openLedger(database, postBooking)
    const hour = (hours: number) => new Date(Date.UTC(2026, 2, 1, hours))
    const first = hour(0).getTime() / 3_600_000
    for (const [hours, value] of [
      [1, 5n],
      [2, 5n],
      [3, -7n],
      [3, -8n],
      [25, -8n],
    ] as const)
      await ledger.saveSnapshots(hour(hours), new Map([[1, value]]))
    const hours = (from: number, to: number) =>
      ledger.snapshots({ userId: 1, size: 'hour', from: first + from, to: first + to })
    expect(await hours(0, 30)).toEqual([
      { slot: first + 1, unrealizedUsd: 5n },
      { slot: first + 3, unrealizedUsd: -8n },
      { slot: first + 25, unrealizedUsd: -8n },
    ])
    expect(await hours(3, 4)).toEqual([
      { slot: first + 2, unrealizedUsd: 5n },
      { slot: first + 3, unrealizedUsd: -8n },
    ])
    expect(await ledger.purgeSnapshots('hour', hour(3), 9)).toBe(1)
    expect(await hours(0, 3)).toEqual([])
    const day = first / 24
    expect(await ledger.snapshots({ userId: 1, size: 'day', from: day, to: day + 9 })).toEqual([
      { slot: day, unrealizedUsd: -8n },
      { slot: day + 1, unrealizedUsd: -8n },
    ])
  })

  test('all positions are read by whole accounts', async () => {
    const database = await open()
    const ledger = openLedger(database, postBooking)
    const common = {
      wallet: 0,
      agent: 'trading_team',
      hours: 0,
      other: 2,
      received: 7n,
      gas: 0n,
      valuedBy: 'token_in',
      quantity: 4n,
      valueUsd: 4n,
    } as const
    const users = [await addAccount(database, 1), await addAccount(database, 2)]
    for (const userId of users)
      for (const token of [0, 1, 2])
        await ledger.book(bookingOf(userId, { ...common, kind: 'deposit', token }, `${userId} ${token}`, at))
    for (const limit of [1, 2, 3, 4, 5]) {
      const rows = await ledger.allPositions(0, limit)
      expect(
        rows.map(({ userId }) => userId),
        `${limit}`,
      ).toEqual([users[0], users[0], users[0]])
    }
    expect(await ledger.allPositions(0, 7)).toHaveLength(6)
    expect(await ledger.allPositions(users[0]!, 2)).toHaveLength(3)
    expect(await ledger.allPositions(users[1]!, 2)).toEqual([])
  })
})
