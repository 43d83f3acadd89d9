import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { MikroORM } from '@mikro-orm/core'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { type SqlEntityManager, MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { tableShapes } from './columns.ts'
import { createFences, type Lease } from './fences.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type Hints, openHints } from './hints.ts'
import { type Dialect, ormOptions } from './options.ts'
import { connectionLimits, limitedPool, oneAtATime, postgresStatements, postgresTransactions } from './postgresql.ts'
import { createSignals, type Signals } from './signals.ts'
import { type SqliteHandle, sqliteStatements, sqliteTransactions } from './sqlite.ts'
import type { DatabaseWatch, Statements, Transactions } from './statements.ts'
import { openTables, type Tables } from './tables.ts'

/** The open database, from which all stores are created. */
export type Database = AsyncDisposable & {
  readonly dialect: Dialect
  /** Random name of this process among those that use the same database. */
  readonly holder: string
  /** An entity manager for what is rare, such as a verification. It only reads. */
  fork(): SqlEntityManager
  /** The committed rows, and single statements that each have a transaction of their own. */
  readonly tables: Tables
  /** Runs the work in one transaction. An error rolls the transaction back and is thrown again. */
  transaction<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /** The leases that this process has taken, by chain and name. */
  readonly leases: Map<string, Lease>
  /** Runs work in whose transactions the database checks that this process still has the lease. */
  fenced<T>(lease: Lease | null, work: () => Promise<T>): Promise<T>
  /** Signals to this process and the others. Notify after the commit, never within the transaction. */
  readonly signals: Signals
  /**
   * False where this process may not judge which others are dead: it, or its way to the database, stood still lately, and so
   * others may have. On SQLite there are no others.
   */
  mayJudge(): boolean
}

export type DatabaseSettings = { url: string | null; dataDir: string }

/** Opens SQLite in the data directory, or PostgreSQL by its URL, and migrates the tables. */
export async function openDatabase(
  { url, dataDir }: DatabaseSettings,
  watch: DatabaseWatch = { statement: () => undefined, committed: () => undefined },
): Promise<Database> {
  return url === null ? await openSqlite(dataDir, watch) : await openPostgres(url, watch)
}

async function openSqlite(dataDir: string, watch: DatabaseWatch): Promise<Database> {
  mkdirSync(dataDir, { recursive: true })
  const link = sqliteFile(dataDir)
  // The file holds password hashes and sealed keys. SQLite creates its -wal and -shm files with the same mode.
  closeSync(openSync(link, 'a', 0o600))
  const file = realpathSync(link) // SQLite keeps its log beside the file that a symbolic link names
  const orm = await SqliteOrm.init({ ...ormOptions('sqlite', false), dbName: file })
  try {
    // The driver uses one connection, so the settings of a connection are set once.
    for (const pragma of sqlitePragmas) await orm.em.getConnection().execute(pragma)
    await orm.migrator.up()
    // The driver's own constructor: a second SQLite library in one process breaks the locks of the file.
    const native: { constructor: unknown } = await orm.em.getDriver().getConnection().getNativeClient()
    const Handle = native.constructor as new (file: string, options: { readonly: boolean }) => SqliteHandle
    const [writer, reader] = [new Handle(file, { readonly: false }), new Handle(file, { readonly: true })]
    for (const pragma of sqlitePragmas) writer.exec(pragma)
    // `sqliteTransactions` waits for locks and for the disk without blocking the event loop.
    writer.exec('pragma busy_timeout = 0; pragma synchronous = normal')
    const log = await openLog(file)
    const { transactions, unsynced, idle } = sqliteTransactions(writer, watch, log.sync)
    const committed = sqliteStatements(reader, watch, unsynced)
    const single: Statements = {
      ...committed,
      // A statement outside a transaction has one of its own, so that it never joins that of another caller.
      run: async (sql, values) => await transactions(async (statements) => await statements.run(sql, values)),
    }
    const close = async () => {
      await idle()
      await log.close()
      writer.close()
      reader.close()
    }
    return databaseOf('sqlite', orm, { single, transactions, signals: createSignals(), mayJudge: () => true, close })
  } catch (failure) {
    await orm.close(true)
    throw failure
  }
}

/**
 * Opens the log that SQLite writes commits to. What is in it by then is brought to the disk first: an earlier process may
 * have died between its commit and that.
 */
async function openLog(file: string): Promise<{ sync(): Promise<void>; close(): Promise<void> }> {
  const log = await open(`${file}-wal`, 'r+').catch((cause: unknown) => {
    throw new Error(`SQLite keeps no log beside ${file}. Put DATA_DIR on a local file system.`, { cause })
  })
  await log.datasync()
  return {
    sync: async () => await log.datasync().catch(endProcess),
    close: async () => await log.close(),
  }
}

/**
 * After a failed write nothing but the next start tells what the disk has, so the process ends at once, as after a crash:
 * a supervisor starts it again.
 */
function endProcess(cause: unknown): never {
  const failure = new Error('The disk did not confirm a write. Check it, and start the gateway again.', { cause })
  setImmediate(() => {
    throw failure
  })
  throw failure
}

/** The file of the database in a data directory. */
export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'trident.sqlite')
}

/** WAL lets readers run concurrently with the writer; FULL makes a finished migration survive a power failure. */
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

async function openPostgres(url: string, watch: DatabaseWatch): Promise<Database> {
  const orm = await PostgresOrm.init({
    ...ormOptions('postgresql', false),
    clientUrl: url,
    pool: { min: 0, max: 10 },
    driverOptions: connectionLimits,
  })
  try {
    const pool: Parameters<typeof limitedPool>[0] = await orm.em.getDriver().getConnection().getNativeClient()
    await oneAtATime(pool, async () => await orm.migrator.up())
    const limited = await limitedPool(pool, watch) // migrations above have no limit
    const single = postgresStatements(limited, watch)
    const signals: Signals = createSignals((topic) => hints.tell(topic))
    const hints: Hints = await openHints(pool, signals)
    const close = async () => {
      await heartbeat.stop().finally(hints.close).finally(limited.close)
    }
    const mayJudge = () => heartbeat.isSteady()
    const transactions = postgresTransactions(limited, watch)
    const database = databaseOf('postgresql', orm, { single, transactions, signals, mayJudge, close })
    const heartbeat = await startHeartbeat(database, hints)
    return database
  } catch (failure) {
    await orm.close(true)
    throw new Error(`The database at DATABASE_URL cannot be opened or migrated. ${adviceOn(failure)}`, {
      cause: failure,
    })
  }
}

type Orm = Pick<MikroORM, 'getMetadata' | 'close'> & { em: { fork(): unknown } }

/** `single` are the statements outside a transaction. */
type Parts = Pick<Database, 'signals' | 'mayJudge'> & {
  single: Statements
  transactions: Transactions
  close(): Promise<void>
}

function databaseOf(dialect: Dialect, orm: Orm, { single, transactions, signals, mayJudge, close }: Parts): Database {
  const shapeOf = tableShapes(orm.getMetadata(), dialect)
  const fences = createFences(dialect, single, transactions)
  return {
    dialect,
    holder: randomUUID(),
    // The entity managers of both drivers are SQL managers; their types differ only in the driver.
    fork: () => orm.em.fork() as SqlEntityManager,
    tables: openTables(shapeOf, dialect, fences.single),
    transaction: async (work) =>
      await fences.transactions(async (statements) => await work(openTables(shapeOf, dialect, statements))),
    leases: new Map(),
    fenced: fences.run,
    signals,
    mayJudge,
    async [Symbol.asyncDispose]() {
      await close().catch(() => undefined) // entries that it cannot delete expire
      await orm.close(true)
    },
  }
}
