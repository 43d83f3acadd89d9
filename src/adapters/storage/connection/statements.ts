import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Value } from './columns.ts'

/** A unique index refused a row. */
export class UniqueViolation extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** Is notified of statements and commits, so that their number and cost can be seen. */
export type DatabaseWatch = { statement(): void; committed(seconds: number): void }

/** Statements of one connection, prepared once each. */
export type Statements = {
  /** The rows as lists in the order of the selected columns. */
  lists(sql: string, values: readonly Value[]): Promise<unknown[][]>
  /** The rows as objects with the names of the selected columns. */
  objects(sql: string, values: readonly Value[]): Promise<object[]>
  /** `id` is what the database assigned to an inserted row. Throws UniqueViolation. */
  run(sql: string, values: readonly Value[]): Promise<{ changes: number; id: number }>
}

/** Runs work in a transaction. An error rolls it back and is thrown again. */
export type Transactions = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>

type SqliteStatement = {
  all(...values: unknown[]): unknown[]
  run(...values: unknown[]): { changes: number; lastInsertRowid: number }
  raw(toggle: boolean): SqliteStatement
}
/** A connection of SQLite's driver. */
export type SqliteHandle = {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  readonly inTransaction: boolean
  close(): void
}

/** Statements after which the event loop gets a turn. */
const statementsPerTurn = 32

/** The statements of a connection of SQLite. The driver is synchronous, so a long series of them gives way by itself. */
export function sqliteStatements(handle: SqliteHandle, watch: DatabaseWatch): Statements {
  const prepared = new Map<string, SqliteStatement>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? handle.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  let count = 0
  const giveWay = async () => {
    watch.statement()
    count = (count + 1) % statementsPerTurn
    if (count === 0) await nextTurn()
  }
  return {
    async lists(sql, values) {
      await giveWay()
      const statement = prepare(sql).raw(true)
      return statement.all(...values) as unknown[][]
    },
    async objects(sql, values) {
      await giveWay()
      return prepare(sql)
        .raw(false)
        .all(...values) as object[]
    },
    async run(sql, values) {
      await giveWay()
      try {
        const { changes, lastInsertRowid } = prepare(sql).run(...values)
        return { changes, id: Number(lastInsertRowid) }
      } catch (failure) {
        throw translated(failure, ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'])
      }
    },
  }
}

/** Most transactions that share a commit, and most milliseconds in which they may begin. */
const shared = { most: 64, ms: 5 }
/** How long a transaction waits while another process writes, and the pause between two tries, in milliseconds. */
const busy = { mostMs: 5_000, pauseMs: 20 }

type Job = {
  since: number
  /** Runs the work within the open transaction, and returns what settles its caller after the commit. */
  run(): Promise<() => void>
  fail(failure: unknown): void
}

/**
 * Transactions on SQLite's one writing connection, and a function that waits for those that run. Those that come within a
 * turn of the event loop share a commit, each in a savepoint of its own; no caller is answered before the commit is on
 * disk. The write lock is taken before the first read: SQLite rejects the write of a transaction that has already read
 * while another process writes.
 */
export function sqliteTransactions(
  handle: SqliteHandle,
  watch: DatabaseWatch,
): { transactions: Transactions; idle(): Promise<void> } {
  const statements = sqliteStatements(handle, watch)
  const waiting: Job[] = []
  let draining: Promise<void> | null = null

  /** False where another process holds the write lock. */
  function begin(): boolean {
    try {
      handle.exec('begin immediate')
      return true
    } catch (failure) {
      if (!codeOf(failure).startsWith('SQLITE_BUSY')) for (const job of waiting.splice(0)) job.fail(failure)
      while (waiting[0] !== undefined && performance.now() - waiting[0].since > busy.mostMs)
        waiting.shift()?.fail(failure)
      return false
    }
  }

  async function commitTogether(): Promise<void> {
    const began = performance.now()
    const begun: Job[] = []
    const settle: (() => void)[] = []
    let seconds = 0
    try {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        begun.push(job)
        settle.push(await job.run())
        if (begun.length === shared.most || performance.now() - began > shared.ms) break
        if (waiting.length === 0) await nextTurn()
      }
      const committing = performance.now()
      handle.exec('commit')
      seconds = (performance.now() - committing) / 1_000
    } catch (failure) {
      rollBack(handle)
      for (const job of begun) job.fail(failure)
      return
    }
    for (const answer of settle) answer()
    watch.committed(seconds)
  }

  async function drain(): Promise<void> {
    await null // so that `draining` is set before it can end
    while (waiting.length > 0) {
      if (begin()) await commitTogether()
      else if (waiting.length > 0) await pause(busy.pauseMs)
    }
    draining = null
  }

  const transactions: Transactions = async (work) =>
    await new Promise((resolve, reject) => {
      const run = async () => {
        handle.exec('savepoint work')
        try {
          const result = await work(statements)
          handle.exec('release work')
          return () => resolve(result)
        } catch (failure) {
          if (!handle.inTransaction) throw failure // a full disk has rolled back everything
          handle.exec('rollback to work; release work')
          return () => reject(failure)
        }
      }
      waiting.push({ since: performance.now(), run, fail: reject })
      draining ??= drain()
    })
  return { transactions, idle: async () => void (await draining) }
}

/** Callers receive the failure that made it necessary, so one of the rollback itself is not thrown. */
function rollBack(handle: SqliteHandle): void {
  try {
    if (handle.inTransaction) handle.exec('rollback')
  } catch {}
}

type PostgresQuery = { name: string; text: string; values: readonly Value[]; rowMode?: 'array' }
type PostgresResult = { command: string; rows: unknown[]; rowCount: number | null }
type PostgresClient = { query(query: PostgresQuery | string): Promise<PostgresResult> }
/** The pool of PostgreSQL's driver. */
export type PostgresPool = PostgresClient & {
  connect(): Promise<PostgresClient & { release(failure?: boolean): void }>
}

/** Names of prepared statements by their text; each connection keeps the plan under the name. */
const names = new Map<string, string>()

/** The statements of a connection of PostgreSQL, or of a pool of them. */
export function postgresStatements(client: PostgresClient, watch: DatabaseWatch): Statements {
  const query = async (text: string, values: readonly Value[], mode: { rowMode?: 'array' }) => {
    const name = names.get(text) ?? `statement_${names.size}`
    names.set(text, name)
    watch.statement()
    return await client.query({ name, text, values, ...mode })
  }
  return {
    lists: async (sql, values) => (await query(sql, values, { rowMode: 'array' })).rows as unknown[][],
    objects: async (sql, values) => (await query(sql, values, {})).rows as object[],
    async run(sql, values) {
      try {
        const { rows, rowCount } = await query(sql, values, { rowMode: 'array' })
        return { changes: rowCount ?? 0, id: Number((rows as unknown[][])[0]?.[0] ?? 0) }
      } catch (failure) {
        throw translated(failure, ['23505'])
      }
    },
  }
}

/** Transactions of PostgreSQL, each on a connection of its own. */
export function postgresTransactions(pool: PostgresPool, watch: DatabaseWatch): Transactions {
  return async (work) => {
    const client = await pool.connect()
    let isBroken = true
    try {
      await client.query('begin')
      const result = await work(postgresStatements(client, watch))
      const began = performance.now()
      // PostgreSQL answers the commit of a transaction that has failed with a rollback, and no error.
      if ((await client.query('commit')).command !== 'COMMIT') throw new Error('The transaction was rolled back.')
      watch.committed((performance.now() - began) / 1_000)
      isBroken = false
      return result
    } catch (failure) {
      isBroken = await client.query('rollback').then(
        () => false,
        () => true,
      )
      throw failure
    } finally {
      client.release(isBroken)
    }
  }
}

function translated(failure: unknown, unique: readonly string[]): unknown {
  return unique.includes(codeOf(failure)) ? new UniqueViolation(failure as Error) : failure
}

function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : ''
}
