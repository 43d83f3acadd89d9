import type { Value } from './columns.ts'
import { type DatabaseWatch, type Statements, type Transactions, translated } from './statements.ts'

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
    try {
      await client.query('begin')
      const result = await work(postgresStatements(client, watch))
      const began = performance.now()
      // PostgreSQL answers the commit of a transaction that has failed with a rollback, and no error.
      if ((await client.query('commit')).command !== 'COMMIT') throw new Error('The transaction was rolled back.')
      watch.committed((performance.now() - began) / 1_000, 0)
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
