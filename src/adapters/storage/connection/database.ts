import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { type SqlEntityManager, MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { type Dialect, ormOptions } from './options.ts'
import { type HotRead, postgresReads, sqliteReads } from './reads.ts'
import { createSignals, type Signals } from './signals.ts'

/** The open database, from which all stores are created. */
export type Database = AsyncDisposable & {
  readonly dialect: Dialect
  /** Random name of this process among those that use the same database. */
  readonly holder: string
  /** A fresh entity manager for one unit of work outside a transaction. */
  fork(): SqlEntityManager
  /**
   * Runs the work in one transaction with a new entity manager. An error rolls the transaction back and is thrown
   * again.
   */
  transaction<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T>
  /** Prepares a query of committed rows for a hot path; `?` marks a parameter and `name` must be unique. */
  hotRead<Row extends object>(name: string, sql: string): HotRead<Row>
  /** Signals inside this process. Notify after the commit, never within the transaction. */
  readonly signals: Signals
}

export type DatabaseSettings = { url: string | null; dataDir: string }

/** Opens SQLite in the data directory, or PostgreSQL by its URL, and migrates the tables. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return settings.url === null ? await openSqlite(settings.dataDir) : await openPostgres(settings.url)
}

async function openSqlite(dataDir: string): Promise<Database> {
  mkdirSync(dataDir, { recursive: true })
  const file = sqliteFile(dataDir)
  // The file holds password hashes and sealed keys. SQLite creates its -wal and -shm files with the same mode.
  closeSync(openSync(file, 'a', 0o600))
  const orm = await SqliteOrm.init({ ...ormOptions('sqlite', false), dbName: file })
  try {
    // The driver uses one connection, so the settings of a connection are set once.
    for (const pragma of sqlitePragmas) await orm.em.getConnection().execute(pragma)
    await orm.migrator.up()
    const reads = await sqliteReads(orm.em.getDriver().getConnection(), file)
    return databaseOf('sqlite', orm, reads.prepare, async () => reads.close())
  } catch (failure) {
    await orm.close(true)
    throw failure
  }
}

/** The file of the database in a data directory. */
export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'trident.sqlite')
}

/** WAL lets readers run concurrently with the writer; FULL makes an acknowledged write survive a power failure. */
const sqlitePragmas = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma busy_timeout = 5000',
  'pragma foreign_keys = on',
]

/** What the operator can do about a failure of PostgreSQL, by the code of its driver; the URL stays secret. */
function adviceOn(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined
  if (code === 'ECONNREFUSED')
    return 'No server listens at its address: start PostgreSQL, or correct the host and port.'
  if (code === 'ENOTFOUND') return 'Its host is unknown: correct the host.'
  if (code === '28P01' || code === '28000') return 'The server refuses the login: correct the user and password.'
  if (code === '3D000') return 'The database does not exist: create it with createdb.'
  return 'Check that the server runs and that the user may create tables. The log has the cause.'
}

async function openPostgres(url: string): Promise<Database> {
  const orm = await PostgresOrm.init({ ...ormOptions('postgresql', false), clientUrl: url, pool: { min: 0, max: 10 } })
  try {
    const pool = await orm.em.getDriver().getConnection().getNativeClient()
    const guard = await pool.connect()
    try {
      // Several processes may start at once: one migrates, and the others wait and find the tables up to date.
      await guard.query('select pg_advisory_lock($1)', [migrationLock])
      await orm.migrator.up()
    } finally {
      guard.release(true) // closing the connection releases the lock, also after an error
    }
    const database = databaseOf('postgresql', orm, postgresReads(pool), async () => await stop())
    const stop = await startHeartbeat(database)
    return database
  } catch (failure) {
    await orm.close(true)
    throw new Error(`The database at DATABASE_URL cannot be opened or migrated. ${adviceOn(failure)}`, {
      cause: failure,
    })
  }
}

/** An arbitrary number that no other software uses for a lock in this database. */
const migrationLock = 7_374_923

type Orm = { em: { fork(): unknown }; close(force?: boolean): Promise<void> }

function databaseOf(
  dialect: Dialect,
  orm: Orm,
  hotRead: Database['hotRead'],
  beforeClose: () => Promise<void>,
): Database {
  // The entity managers of both drivers are SQL managers; their types differ only in the driver.
  const fork = () => orm.em.fork() as SqlEntityManager
  return {
    dialect,
    holder: randomUUID(),
    fork,
    transaction: async (work) =>
      await fork().transactional(async (forked) => {
        const em = forked as SqlEntityManager
        if (dialect === 'sqlite') await lockForWriting(em)
        return await work(em)
      }),
    hotRead,
    signals: createSignals(),
    async [Symbol.asyncDispose]() {
      await beforeClose().catch(() => undefined) // entries that it cannot delete expire
      await orm.close(true)
    },
  }
}

/**
 * Takes SQLite's write lock before the first read. SQLite rejects the write of a transaction that has already read
 * while another process, such as a backup, writes; a transaction that has not read yet waits for the lock.
 */
async function lockForWriting(em: SqlEntityManager): Promise<void> {
  await em.getConnection().execute('delete from schema_migration where false', [], 'run', em.getTransactionContext())
}

/** A process without a heartbeat for this time counts as dead, so that others soon continue its work. */
const silence = "interval '3 seconds'"

/** The name of the process, and its PostgreSQL database. */
type Process = { holder: string; fork(): SqlEntityManager }

/**
 * Records each second that the process is alive. Returns a function that stops this and releases the process's locks.
 */
async function startHeartbeat({ holder, fork }: Process): Promise<() => Promise<void>> {
  const run = async (sql: string) => await fork().getConnection().execute(sql, [holder], 'run')
  const beat = async () => {
    await run(`insert into worker (id, until) values (?, now() + ${silence})
      on conflict (id) do update set until = excluded.until`)
  }
  await beat()
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = Promise.allSettled([running, beat()]).then(() => undefined)
  }, 1_000).unref()
  return async () => {
    clearInterval(timer)
    await running // a heartbeat after the deletion would mark a closed process as alive
    await run("delete from worker where id = ? or until < now() - interval '1 hour'")
  }
}
