import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { codeOf, type DatabaseWatch, type Statements, type Transactions, translated } from './statements.ts'

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

/**
 * The statements of a connection of SQLite. The driver is synchronous, so a long series of them gives way by itself.
 * Each waits for `unsynced` where it is not null.
 */
export function sqliteStatements(
  handle: SqliteHandle,
  watch: DatabaseWatch,
  unsynced: SqliteWriter['unsynced'] = () => null,
): Statements {
  const prepared = new Map<string, SqliteStatement>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? handle.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  let count = 0
  async function inTurn<T>(act: () => T): Promise<T> {
    watch.statement()
    count = (count + 1) % statementsPerTurn
    if (count === 0) await nextTurn()
    // Asked again after each wait, and last of all: the next commit may have come meanwhile.
    for (let sync = unsynced(); sync !== null; sync = unsynced()) await sync
    return act()
  }
  return {
    lists: async (sql, values) =>
      await inTurn(
        () =>
          prepare(sql)
            .raw(true)
            .all(...values) as unknown[][],
      ),
    objects: async (sql, values) =>
      await inTurn(
        () =>
          prepare(sql)
            .raw(false)
            .all(...values) as object[],
      ),
    run: async (sql, values) =>
      await inTurn(() => {
        try {
          const { changes, lastInsertRowid } = prepare(sql).run(...values)
          return { changes, id: Number(lastInsertRowid) }
        } catch (failure) {
          throw translated(failure)
        }
      }),
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

export type SqliteWriter = {
  transactions: Transactions
  /**
   * Settles when the newest commit is on disk, so that no caller reads what a power failure would undo; null where it is.
   * Throws where the disk has failed.
   */
  unsynced(): Promise<void> | null
  /** Waits for the transactions that run. */
  idle(): Promise<void>
}

/**
 * Transactions on SQLite's one writing connection. Those that come within a turn of the event loop share a commit, each in
 * a savepoint of its own. `sync` then brings the commit to the disk while the event loop goes on, and no caller is answered
 * before: the connection needs `synchronous = normal` alone. The write lock is taken before the first read: SQLite rejects
 * the write of a transaction that has already read while another process writes.
 */
export function sqliteTransactions(
  handle: SqliteHandle,
  watch: DatabaseWatch,
  sync: () => Promise<void>,
): SqliteWriter {
  const statements = sqliteStatements(handle, watch)
  const waiting: Job[] = []
  let draining: Promise<void> | null = null
  let syncing: Promise<void> | null = null
  let lost: { failure: unknown } | null = null

  /** False where another process holds the write lock. */
  function begin(): boolean {
    try {
      handle.exec('begin immediate')
      return true
    } catch (failure) {
      if (!codeOf(failure).startsWith('SQLITE_BUSY')) for (const job of waiting.splice(0)) job.fail(translated(failure))
      while (waiting[0] !== undefined && performance.now() - waiting[0].since > busy.mostMs)
        waiting.shift()?.fail(translated(failure))
      return false
    }
  }

  async function commitTogether(): Promise<void> {
    const began = performance.now()
    const begun: Job[] = []
    const settle: (() => void)[] = []
    let committing = began
    try {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        begun.push(job)
        settle.push(await job.run())
        if (begun.length === shared.most || performance.now() - began > shared.ms) break
        if (waiting.length === 0) await nextTurn()
      }
      committing = performance.now()
      handle.exec('commit')
    } catch (failure) {
      rollBack(handle)
      for (const job of begun) job.fail(translated(failure))
      return
    }
    syncing = sync().catch((failure: unknown) => {
      lost = { failure }
    })
    const heldSeconds = (performance.now() - committing) / 1_000
    await syncing
    syncing = null
    if (lost === null) for (const answer of settle) answer()
    else for (const job of begun) job.fail(lost.failure)
    watch.committed((performance.now() - committing) / 1_000, heldSeconds)
  }

  function unsynced(): Promise<void> | null {
    // What the disk has is known again after the next start alone.
    if (lost !== null) throw lost.failure
    return syncing
  }

  async function drain(): Promise<void> {
    await null // so that `draining` is set before it can end
    while (waiting.length > 0) {
      if (lost !== null) for (const job of waiting.splice(0)) job.fail(lost.failure)
      else if (begin()) await commitTogether()
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
  return { transactions, unsynced, idle: async () => void (await draining) }
}

/** Callers receive the failure that made it necessary, so one of the rollback itself is not thrown. */
function rollBack(handle: SqliteHandle): void {
  try {
    if (handle.inTransaction) handle.exec('rollback')
  } catch {}
}
