import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounts } from '../../src/adapters/storage/accounts.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/database.ts'
import { openLedger } from '../../src/adapters/storage/ledger.ts'
import { slotMs } from '../../src/adapters/storage/volume-pieces.ts'
import type { Booking, Ledger } from '../../src/domain/ports/ledger.ts'
import { postBooking } from '../../src/domain/trading/post-booking.ts'
import { startPostgres } from '../../test/ports/databases.ts'
import type { Bench } from './bench.ts'
import { type Figure, median } from './figures.ts'
import { inTurns } from './turns.ts'

const rounds = 5
const readsARound = 20
const yearMs = 365 * 86_400_000
const begin = Date.parse('2025-01-01T00:00:00.000Z')
const agents = 3
const amount = 10n ** 20n

/**
 * Reads and writes the books of accounts with 10,000 and with 1,000,000 trades, spread over a year: what volume,
 * positions and realised profit are answered from. The floor of an account is the one with fewer trades, and of the first
 * one without any.
 */
export const bench: Bench = async (sizes) => {
  const folder = mkdtempSync(join(tmpdir(), 'trident-bench-'))
  try {
    return await measure({ url: null, dataDir: folder }, sizes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL, which is filled more slowly. */
export const onPostgresql: Bench = async (sizes) => {
  const postgres = await startPostgres()
  try {
    return await measure({ url: await postgres.create('books'), dataDir: tmpdir() }, sizes)
  } finally {
    await postgres.stop()
  }
}

type Account = { userId: number; trades: number }

async function measure(place: Parameters<typeof openDatabase>[0], sizes: readonly number[]): Promise<Figure[]> {
  await using database = await openDatabase(place)
  const ledger = openLedger(database, postBooking)
  const accounts: Account[] = []
  for (const trades of [0, ...(sizes.length === 0 ? [10_000, 1_000_000] : sizes)])
    accounts.push({ userId: await account(database, accounts.length + 1), trades })
  for (const one of accounts.slice(1)) await fill(database, one)
  const figures: Figure[] = []
  for (const [what, act] of Object.entries(acts(ledger))) {
    const times = await inTurns(accounts, rounds, async ({ userId }) => await typical(() => act(userId)))
    for (const [index, one] of accounts.entries()) {
      const fewer = accounts[index - 1]
      if (fewer === undefined) continue
      const name = `${database.dialect}, ${one.trades} trades: ${what}`
      const floor = { name: `${fewer.trades} trades`, rounds: times.get(fewer) ?? [] }
      figures.push({ what: name, unit: 'ms', rounds: times.get(one) ?? [], floor })
    }
  }
  return figures
}

function acts(ledger: Ledger): Record<string, (userId: number) => Promise<unknown>> {
  const part = { start: new Date(begin + 40.3 * 86_400_000), end: new Date(begin + 300.7 * 86_400_000) }
  let booked = 0
  const book = async (userId: number) => {
    booked += 1
    const reference = `booked ${booked}`
    await ledger.book(booking(userId, reference))
    return reference
  }
  return {
    'volume of all time': (userId) => ledger.volume({ userId }),
    'volume of 260 days, cut in the hour': (userId) => ledger.volume({ userId, ...part }),
    'volume of an agent': (userId) => ledger.volume({ userId, agent: 'agent 1', ...part }),
    'a booking': book,
    'a booking taken out': async (userId) => await ledger.unbook(await book(userId)),
    'positions and their profit': (userId) => ledger.positions({ userId }),
  }
}

/** The median of some runs, in milliseconds. */
async function typical(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  while (times.length < readsARound) {
    const started = performance.now()
    await act()
    times.push(performance.now() - started)
  }
  return median(times)
}

async function account(database: Database, number: number): Promise<number> {
  const wallet = { ref: 'default', address: `0x${number.toString(16).padStart(40, '0')}`, sealedKey: '' } as const
  const email = `user${number}@example.com`
  const fields = { email, passwordHash: '', wallet, funding: 'none', at: new Date() } as const
  const created = await openAccounts(database).create(fields)
  if (created === null) throw new Error('the account is there already')
  return created.id
}

function booking(userId: number, reference: string): Booking {
  const [tokenIn, tokenOut] = ['0x01', '0x02'] as const
  const trade = { tokenIn, tokenOut, amountIn: 1n, amountOut: 2n, valueUsd: 3n, transactionHash: '0x' } as const
  return {
    ...{ reference, userId, walletAddress: '0x01', chainId: 1, agent: 'agent 1', at: new Date(begin + yearMs), trade },
    movements: [
      { kind: 'paid', token: tokenIn, quantity: 1n, valueUsd: 3n },
      { kind: 'received', token: tokenOut, quantity: 2n, valueUsd: 3n },
    ],
  }
}

/** Writes the trades that so many bookings would have left, and their sums, in a statement each. */
async function fill(database: Database, { userId, trades }: Account): Promise<void> {
  const connection = database.fork().getConnection()
  const moment = `${begin} + number * ${yearMs} / ${trades}`
  const at = database.dialect === 'sqlite' ? moment : `to_timestamp((${moment}) / 1000.0)`
  const agent = `'agent ' || (number % ${agents})`
  const numbers = `with recursive numbers(number) as (
    select cast(0 as bigint) union all select number + 1 from numbers where number + 1 < ${trades})`
  await connection.execute(`
    insert into fill (execution_id, user_id, agent, wallet_address, chain_id, token_in, token_out, amount_in, amount_out,
      value_usd, realized_pnl_usd, transaction_hash, at)
    ${numbers} select '${userId} ' || number, ${userId}, ${agent}, '0x01', 1, '0x01', '0x02', '1', '2',
      '${amount}', '0', '0x', ${at} from numbers`)
  for (const [size, ms] of Object.entries(slotMs))
    await connection.execute(`
      insert into volume (user_id, agent, size, slot, value_usd)
      ${numbers} select ${userId}, ${agent}, '${size}', (${moment}) / ${ms}, count(*) || '${`${amount}`.slice(1)}'
      from numbers group by 2, 4`)
}
