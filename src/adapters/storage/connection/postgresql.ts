import { setTimeout as pause } from 'node:timers/promises'
import { StorageBusy, StorageOutage } from '../../../domain/core/errors.ts'
import type { Value } from './columns.ts'
import { createOutages, type Outages, type Probe, statementMs } from './outages.ts'
import { codeOf, type DatabaseWatch, type Statements, type Transactions, translated } from './statements.ts'

type PostgresQuery = { name: string; text: string; values: readonly Value[]; rowMode?: 'array' }
type PostgresResult = { command: string; rows: unknown[]; rowCount: number | null }
type PostgresClient = { query(query: PostgresQuery | string): Promise<PostgresResult> }
type PooledClient = PostgresClient & { release(failure?: boolean): void }
/** The pool of PostgreSQL's driver. */
export type PostgresPool = PostgresClient & { connect(): Promise<PooledClient> }

/** A connection of the driver that belongs to no pool; `connection` is its socket. */
export type DriverClient = PostgresClient & {
  connect(): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  on(event: 'notification', listener: (message: { payload?: string }) => void): unknown
  readonly connection: { stream: { destroy(): void } }
}
/** What the driver's own pool has besides. */
export type DriverPool = PostgresClient & {
  connect(): Promise<PooledClient & { readonly processID?: number }>
  readonly idleCount: number
  readonly Client: new (options: object) => DriverClient
  readonly options: { readonly password?: unknown }
}

/** How long a call waits for a connection while all are in use, and when a silent connection is asked whether it lives. */
export const connectionLimits = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/**
 * The pool with limits: whatever asks a server that is away, or that hangs, ends as UNAVAILABLE. The driver's own limit on a
 * statement would leave its connection in use.
 */
export async function limitedPool(
  pool: DriverPool,
  watch: DatabaseWatch,
): Promise<PostgresPool & { readonly begin: string; close(): void }> {
  const begin = await limitStatements(pool)
  const outages = createOutages(() => probeOf(pool), watch)
  const connect = () => connectWithin(pool, outages)
  return {
    connect,
    async query(query) {
      const client = await connect()
      let isBroken = false
      try {
        return await client.query(query)
      } catch (failure) {
        isBroken = isCut(failure)
        throw failure
      } finally {
        client.release(isBroken)
      }
    },
    begin,
    close: outages.close,
  }
}

/** Whether the connection may be lost, or still work on a statement that was given up. */
const isCut = (failure: unknown) => failure instanceof StorageOutage || failure instanceof StorageBusy

const limits = { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }
/** Codes by which poolers refuse a parameter of a connection's start. */
const refusals = ['08P01', '0A000']

/**
 * Limits the statements of the pool at the server, by parameters of a connection's start: a `set` would stay with the
 * connection of the server, which a pooler gives to others. Returns what begins a transaction: behind a pooler that does not
 * pass such parameters on, each transaction has limits of its own, and single statements have those of this process.
 */
async function limitStatements(pool: DriverPool): Promise<string> {
  const { password } = pool.options // the driver hides it from copies
  const trial = new pool.Client({ ...pool.options, ...limits, password })
  trial.on('error', () => undefined)
  let isLimited = false
  try {
    await trial.connect()
    const { rows } = await trial.query("select setting from pg_settings where name = 'statement_timeout'")
    isLimited = (rows as { setting: string }[])[0]?.setting === String(statementMs)
  } catch (failure) {
    if (!refusals.includes(codeOf(failure))) throw failure
  } finally {
    trial.connection.stream.destroy()
  }
  if (!isLimited)
    return ['begin', ...Object.entries(limits).map(([name, ms]) => `set local ${name} = ${ms}`)].join('; ')
  while (pool.idleCount > 0) (await pool.connect()).release(true) // those of the migrations have no limit
  Object.assign(pool.options, limits)
  return 'begin'
}

/** An arbitrary number that no other software uses for a lock in this database. */
const migrationLock = 7_374_923
const lockPollMs = 100

/**
 * Several processes may start at once: one works, and the others wait. The lock is that of a transaction, since one of a
 * session would stay with the connection of a pooler; it is asked for again and again, so that those who wait keep none of
 * a pooler's connections.
 */
export async function oneAtATime(pool: DriverPool, work: () => Promise<unknown>): Promise<void> {
  const guard = await pool.connect()
  const locks = async () => {
    await guard.query('begin; set local idle_in_transaction_session_timeout = 0')
    const { rows } = await guard.query(`select pg_try_advisory_xact_lock(${migrationLock}) as locked`)
    if ((rows as { locked: boolean }[])[0]?.locked === true) return true
    await guard.query('rollback')
    return false
  }
  try {
    while (!(await locks())) await pause(lockPollMs)
    await work()
    await guard.query('commit')
  } finally {
    guard.release(true) // closing the connection releases the lock, also after an error
  }
}

/** The outages that had begun when a connection was made. */
const madeAfter = new WeakMap<object, number>()

async function connectWithin(pool: DriverPool, outages: Outages): Promise<PooledClient> {
  while (true) {
    let connecting: ReturnType<DriverPool['connect']> | undefined
    const client = await outages
      .guard(() => {
        connecting = pool.connect()
        return connecting
      })
      .catch((failure: unknown) => {
        connecting?.then(
          (late) => late.release(true),
          () => undefined,
        )
        throw failure
      })
    const query: PostgresClient['query'] = async (text) =>
      await outages.guard(async () => await client.query(text), client.processID)
    const made = madeAfter.get(client)
    if (made === undefined) {
      madeAfter.set(client, outages.count())
    } else if (made !== outages.count()) {
      client.release(true) // an outage may have cut it without a word
      continue
    }
    return { query, release: (failure) => client.release(failure) }
  }
}

function probeOf({ Client, options }: DriverPool): Probe {
  const client = new Client(options)
  client.on('error', () => undefined)
  return {
    async idleOf(processes) {
      await client.connect()
      const text = "select pid from pg_stat_activity where pid = any($1) and state like 'idle%'"
      const { rows } = await client.query({ name: 'probe', text, values: [[...processes]] })
      return (rows as { pid: number }[]).map(({ pid }) => pid)
    },
    close: () => client.connection.stream.destroy(),
  }
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
        throw translated(failure)
      }
    },
  }
}

/** Transactions of PostgreSQL, each on a connection of its own. */
export function postgresTransactions(
  pool: PostgresPool & { readonly begin: string },
  watch: DatabaseWatch,
): Transactions {
  return async (work) => {
    const client = await pool.connect()
    let isBroken = true
    let isCommitting = false
    try {
      await client.query(pool.begin)
      const result = await work(postgresStatements(client, watch))
      const began = performance.now()
      isCommitting = true
      // PostgreSQL answers the commit of a transaction that has failed with a rollback, and no error.
      if ((await client.query('commit')).command !== 'COMMIT') throw new Error('The transaction was rolled back.')
      watch.committed((performance.now() - began) / 1_000, 0)
      isBroken = false
      return result
    } catch (failure) {
      // The server rolls back what has lost its connection.
      if (!isCut(failure))
        isBroken = await client.query('rollback').then(
          () => false,
          () => true,
        )
      throw isCommitting && failure instanceof StorageOutage ? new StorageOutage(failure.cause, true) : failure
    } finally {
      client.release(isBroken)
    }
  }
}
