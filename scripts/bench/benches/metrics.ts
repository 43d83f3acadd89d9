import { tmpdir } from 'node:os'
import { openAccounts } from '../../../src/adapters/storage/accounts/accounts.ts'
import { type Database, openDatabase } from '../../../src/adapters/storage/connection/database.ts'
import { openLedger } from '../../../src/adapters/storage/trading/ledger.ts'
import { postBooking } from '../../../src/domain/books/post-booking.ts'
import type { Booking, Ledger } from '../../../src/domain/ports/ledger.ts'
import { slotMs } from '../../../src/domain/ports/ledger.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { startPostgres } from '../../../test/ports/postgres.ts'
import { median } from '../../percentiles.ts'
import type { Bench, Figure } from '../figures.ts'
import { inTurns, timed } from '../turns.ts'

const rounds = 4
const readsARound = 20
const yearMs = 365 * 86_400_000
const begin = Date.parse('2025-01-01T00:00:00.000Z')
const agents = 3
const tokens = 50
const amount = 10n ** 20n
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const

/**
 * Reads and writes the books of accounts with 10,000 and with 1,000,000 trades over a year: volume, positions and
 * realised profit. The floor of an account is the one with fewer trades; that of the first is an account without
 * trades.
 */
export const bench: Bench = async (sizes) => {
  using folder = dataFolder()
  return await measure({ url: null, dataDir: folder.path }, sizes)
}

/** The benchmark of the books on PostgreSQL, with fewer trades because filling it is slower. */
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
  for (const one of accounts.slice(1)) await fill(database, ledger, one)
  const figures: Figure[] = []
  for (const [what, { prepare, act }] of Object.entries(acts(ledger))) {
    const times = await inTurns(accounts, rounds, async ({ userId }) => {
      const runs: number[] = []
      while (runs.length < readsARound) {
        const reference = (await prepare?.(userId)) ?? ''
        runs.push(await timed(() => act(userId, reference)))
      }
      return median(runs)
    })
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

/** What is timed, and its preparation, which returns the reference of a booking. */
type Act = { prepare?(userId: number): Promise<string>; act(userId: number, reference: string): Promise<unknown> }

function acts(ledger: Ledger): Record<string, Act> {
  const part = { start: new Date(begin + 40.3 * 86_400_000), end: new Date(begin + 300.7 * 86_400_000) }
  let booked = 0
  const book = async (userId: number) => {
    booked += 1
    const reference = `booked ${booked}`
    await ledger.book(booking(userId, reference))
    return reference
  }
  return {
    'volume of all time': { act: (userId) => ledger.volume({ userId }) },
    'volume of 260 days, cut in the hour': { act: (userId) => ledger.volume({ userId, ...part }) },
    'volume of an agent': { act: (userId) => ledger.volume({ userId, agent: 'agent 1', ...part }) },
    'positions and their profit': { act: (userId) => ledger.positions({ userId }) },
    // This account is measured after the reads, because until here it has no trades.
    'a booking': { act: book },
    'a booking taken out': { prepare: book, act: (_, reference) => ledger.unbook(reference) },
  }
}

async function account(database: Database, number: number): Promise<number> {
  const wallet = { ref: 'default', address: addressOf(number), sealedKey: '' } as const
  const email = `user${number}@example.com`
  const fields = { email, passwordHash: '', wallet: () => wallet, funding: 'none', at: new Date() } as const
  const created = await openAccounts(database).create(fields)
  if (created === null) throw new Error('the account is there already')
  return created.id
}

function booking(userId: number, reference: string): Booking {
  const [tokenIn, tokenOut] = [addressOf(1), addressOf(2)]
  const transactionHash = `0x${'5e'.repeat(32)}` as const
  const trade = { tokenIn, tokenOut, amountIn: amount, amountOut: amount, valueUsd: amount, transactionHash }
  const place = { userId, walletAddress: addressOf(userId), chainId: 1, agent: 'agent 1' }
  return {
    ...place,
    reference,
    at: new Date(begin + yearMs),
    trade,
    movements: [
      { kind: 'paid', token: tokenIn, quantity: amount, valueUsd: amount },
      { kind: 'received', token: tokenOut, quantity: amount, valueUsd: amount },
    ],
  }
}

/**
 * Writes the rows of so many bookings in single statements: trades, their sums, the journal and positions. The lines of
 * the journal are copies of a real booking's, so that they are as long.
 */
async function fill(database: Database, ledger: Ledger, { userId, trades }: Account): Promise<void> {
  const first = booking(userId, `${userId} first`)
  await ledger.book(first)
  const { walletAddress, trade } = first
  const { tables } = database
  const moment = `${begin} + number * ${yearMs} / ${trades}`
  const at = database.dialect === 'sqlite' ? moment : `to_timestamp((${moment}) / 1000.0)`
  const agent = `'agent ' || (number % ${agents})`
  const token = `'${addressOf(0).slice(0, -3)}' || (100 + number % ${tokens})`
  const numbersTo = (count: number) => `with recursive numbers(number) as (
    select cast(0 as bigint) union all select number + 1 from numbers where number + 1 < ${count})`
  await tables.run(`
    insert into fill (execution_id, user_id, agent, wallet_address, chain_id, token_in, token_out, amount_in, amount_out,
      value_usd, realized_pnl_usd, transaction_hash, at)
    ${numbersTo(trades)} select '${userId} ' || number, ${userId}, ${agent}, '${walletAddress}', 1, ${token},
      '${addressOf(1)}', '${amount}', '${amount}', '${amount}', '0', '${trade?.transactionHash}', ${at} from numbers`)
  await tables.run(`
    insert into booking (reference, place, seq, facts, entries, "before")
    ${numbersTo(trades)} select '${userId} ' || number, place, seq + 1 + number, facts, entries, "before"
    from numbers cross join booking where reference = '${first.reference}'`)
  // The numbers of agents and of tokens have no common divisor above 1, so every agent trades every token.
  await tables.run(`
    insert into "position" (user_id, agent, wallet_address, chain_id, token, quantity, cost_usd, realized_pnl_usd, updated_at)
    ${numbersTo(agents * tokens)} select ${userId}, ${agent}, '${walletAddress}', 1, ${token}, '${amount}', '${amount}',
      '0', ${at} from numbers`)
  for (const [size, ms] of Object.entries(slotMs))
    await tables.run(`
      insert into volume (user_id, agent, size, slot, value_usd)
      ${numbersTo(trades)} select ${userId}, ${agent}, '${size}', (${moment}) / ${ms},
        count(*) || '${`${amount}`.slice(1)}' from numbers group by 2, 4`)
}
