import type { SqliteConnection } from '@mikro-orm/sqlite'
import type { Dialect } from './options.ts'

/** A prepared query. Its rows have the column names of the SQL. */
export type HotRead<Row> = (...parameters: (string | number)[]) => Promise<Row[]>

type SqliteStatement = { all(...parameters: (string | number)[]): unknown[] }
type SqliteHandle = { prepare(sql: string): SqliteStatement; close(): void }
type SqliteConstructor = new (file: string, options: { readonly: boolean }) => SqliteHandle

/**
 * Prepared queries on a separate read-only connection: they see only committed rows and never wait for the writer. The
 * driver's own constructor opens the connection, because a second SQLite library in one process breaks the locks of the
 * file.
 */
export async function sqliteReads(connection: SqliteConnection, file: string) {
  const native: { constructor: unknown } = await connection.getNativeClient()
  const Handle = native.constructor as SqliteConstructor
  const reader = new Handle(file, { readonly: true })
  return {
    prepare<Row extends object>(_name: string, sql: string): HotRead<Row> {
      const statement = reader.prepare(sql)
      return async (...parameters) => statement.all(...parameters) as Row[]
    },
    close: () => reader.close(),
  }
}

type PostgresPool = {
  query(query: { name: string; text: string; values: (string | number)[] }): Promise<{ rows: unknown[] }>
}

/** The same over the pool: PostgreSQL caches the plan under the name of the statement on each connection. */
export function postgresReads(pool: PostgresPool) {
  return <Row extends object>(name: string, sql: string): HotRead<Row> => {
    let count = 0
    const text = sql.replaceAll('?', () => `$${++count}`)
    return async (...parameters) => (await pool.query({ name, text, values: parameters })).rows as Row[]
  }
}

/** A time in milliseconds since 1970 as a parameter of a prepared query. */
export function momentOf(dialect: Dialect, milliseconds: number): string | number {
  return dialect === 'sqlite' ? milliseconds : new Date(milliseconds).toISOString()
}

/** Constants of the code as a list in SQL. Not for values of a request. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
