import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounts } from '../../src/adapters/storage/accounts.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/database.ts'
import { openLedger } from '../../src/adapters/storage/ledger.ts'
import { type Fill, volumeOfFills } from '../../src/adapters/storage/migrations/volume-of-fills.ts'
import type { Booking, Ledger } from '../../src/domain/ports/ledger.ts'
import { postBooking } from '../../src/domain/trading/post-booking.ts'
import { startPostgres } from '../../test/ports/databases.ts'

/**
 * Measures how the books are read and written as they grow: an account with 10,000 trades against one with 1,000,000,
 * on both databases, spread over a year. The floor is the same read for an account without any. Takes some minutes.
 */
const sizes = process.argv.slice(2).map(Number)
const [few = 10_000, many = 1_000_000] = sizes
const runs = 200
const yearMs = 365 * 86_400_000
let booked = 0
const begin = Date.parse('2025-01-01T00:00:00.000Z')

const folder = mkdtempSync(join(tmpdir(), 'trident-bench-'))
const postgres = await startPostgres()
try {
  for (const url of [null, await postgres.create('books')]) {
    await using database = await openDatabase({ url, dataDir: folder })
    await measure(url === null ? 'SQLite' : 'PostgreSQL', database)
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(name: string, database: Database): Promise<void> {
  const ledger = openLedger(database, postBooking)
  const [none, small, large] = [await account(database, 1), await account(database, 2), await account(database, 3)]
  await trade(database, small, few)
  await trade(database, large, many)
  const part = { start: new Date(begin + 40.3 * 86_400_000), end: new Date(begin + 300.7 * 86_400_000) }
  const reads: Record<string, (userId: number) => Promise<unknown>> = {
    'volume of all time': (userId) => ledger.volume({ userId }),
    'volume of 260 days, cut in the hour': (userId) => ledger.volume({ userId, ...part }),
    'volume of an agent': (userId) => ledger.volume({ userId, agent: 'agent 1', ...part }),
    positions: (userId) => ledger.positions({ userId }),
    'a booking': (userId) => book(ledger, userId),
    'a booking taken out': async (userId) => await ledger.unbook(await book(ledger, userId)),
  }
  console.log(`\n${name}: milliseconds at p50 / p99, and the ratio of the p50s`)
  for (const [what, read] of Object.entries(reads)) {
    // In turns, so that a machine that is slow for a while is slow for all of them.
    const times: [number[], number[], number[]] = [[], [], []]
    for (let run = 0; run < runs; run += 1) {
      for (const [index, userId] of [none, small, large].entries()) {
        const started = performance.now()
        await read(userId)
        times[index]?.push(performance.now() - started)
      }
    }
    const [floor, little, much] = times.map((each) => each.toSorted((a, b) => a - b)) as typeof times
    const shown = [floor, little, much].map((each) => `${at(each, 0.5)} / ${at(each, 0.99)}`.padEnd(16))
    const ratio = (Number(at(much, 0.5)) / Number(at(little, 0.5))).toFixed(2)
    console.log(`${what.padEnd(38)} none ${shown[0]} ${few}: ${shown[1]} ${many}: ${shown[2]} ratio ${ratio}`)
  }
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(2)
}

async function account(database: Database, number: number): Promise<number> {
  const wallet = { ref: 'default', address: `0x${number.toString(16).padStart(40, '0')}`, sealedKey: '' } as const
  const fields = {
    email: `user${number}@example.com`,
    passwordHash: '',
    wallet,
    funding: 'none',
    at: new Date(),
  } as const
  const created = await openAccounts(database).create(fields)
  if (created === null) throw new Error('the account is there already')
  return created.id
}

async function book(ledger: Ledger, userId: number): Promise<string> {
  const reference = `booked ${++booked}`
  const trade = {
    tokenIn: '0x01',
    tokenOut: '0x02',
    amountIn: 1n,
    amountOut: 2n,
    valueUsd: 3n,
    transactionHash: '0x',
  } as const
  const booking: Booking = {
    ...{ reference, userId, walletAddress: '0x01', chainId: 1, agent: 'agent 1', at: new Date(begin + yearMs), trade },
    movements: [
      { kind: 'paid', token: '0x01', quantity: 1n, valueUsd: 3n },
      { kind: 'received', token: '0x02', quantity: 2n, valueUsd: 3n },
    ],
  }
  await ledger.book(booking)
  return reference
}

/** Writes the rows that so many bookings would have left, many in a statement. */
async function trade(database: Database, userId: number, count: number): Promise<void> {
  const connection = database.fork().getConnection()
  const batch = 5_000
  const fills: Fill[] = []
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, (_, index): Fill & { id: string } => {
      const number = from + index
      const when = new Date(begin + Math.floor((number * yearMs) / count))
      return {
        id: `${userId} ${number}`,
        user_id: userId,
        agent: `agent ${number % 3}`,
        at: when,
        value_usd: `${10n ** 20n}`,
      }
    })
    fills.push(...rows)
    const values = rows.map(({ id, agent, at: when, value_usd }) => {
      const moment = database.dialect === 'sqlite' ? `${(when as Date).getTime()}` : `'${(when as Date).toISOString()}'`
      return `('${id}', ${userId}, '${agent}', '0x01', 1, '0x01', '0x02', '1', '2', '${value_usd}', '0', '0x', ${moment})`
    })
    await connection.execute(
      `insert into fill (execution_id, user_id, agent, wallet_address, chain_id, token_in, token_out, amount_in, amount_out, value_usd, realized_pnl_usd, transaction_hash, at) values ${values.join(',')}`,
    )
  }
  await database.transaction(async (em) => {
    const context = em.getTransactionContext()
    for (const statement of volumeOfFills(fills)) await em.getConnection().execute(statement, [], 'run', context)
  })
}
