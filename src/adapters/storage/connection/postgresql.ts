import { StorageOutage } from '../../../domain/core/errors.ts'
import type { Value } from './columns.ts'
import { createOutages, type Outages, type Probe, statementMs } from './outages.ts'
import { type DatabaseWatch, type Statements, type Transactions, translated } from './statements.ts'

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
export function limitedPool(pool: DriverPool, watch: DatabaseWatch): PostgresPool & { close(): void } {
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
        isBroken = failure instanceof StorageOutage
        throw failure
      } finally {
        client.release(isBroken)
      }
    },
    close: outages.close,
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
      await query(serverLimits).catch((failure: unknown) => {
        client.release(true)
        throw failure
      })
    } else if (made !== outages.count()) {
      client.release(true) // an outage may have cut it without a word
      continue
    }
    return { query, release: (failure) => client.release(failure) }
  }
}

const serverLimits = `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${statementMs}`

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
export function postgresTransactions(pool: PostgresPool, watch: DatabaseWatch): Transactions {
  return async (work) => {
    const client = await pool.connect()
    let isBroken = true
    let isCommitting = false
    try {
      await client.query('begin')
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
      if (!(failure instanceof StorageOutage))
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
