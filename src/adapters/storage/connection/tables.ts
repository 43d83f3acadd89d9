import type { EntityData, EntitySchema, FilterQuery, InferEntity, RequiredEntityData } from '@mikro-orm/core'
import type { Shape, Value } from './columns.ts'
import type { Dialect } from './options.ts'
import type { Statements } from './statements.ts'

// biome-ignore lint/suspicious/noExplicitAny: the rows of a table are known by its entity alone
type Entity = EntitySchema<any, any>
type Row<E extends Entity> = InferEntity<E>
type Field<E extends Entity> = keyof Row<E> & string
type Order<E extends Entity> = { [F in Field<E>]?: 'asc' | 'desc' }

type FindOptions<E extends Entity, F> = {
  /** The columns to read; all where it is absent. */
  fields?: readonly F[]
  orderBy?: Order<E>
  limit?: number
  offset?: number
  /** Locks the rows until the transaction ends. SQLite needs none: it has one writer at a time. */
  lock?: 'update' | 'share'
}

/**
 * The tables, by prepared statements made from the metadata of the entities. Conditions are those of MikroORM that the
 * stores use: values, lists, null, `$gt`, `$gte`, `$lt`, `$lte`, `$ne`, `$nin`, `$in`, `$like`, `$or`, `$and`, `$not`.
 */
export type Tables = {
  find<E extends Entity, F extends Field<E> = Field<E>>(
    entity: E,
    where: Where<E>,
    options?: FindOptions<E, F>,
  ): Promise<Pick<Row<E>, F>[]>
  findOne<E extends Entity, F extends Field<E> = Field<E>>(
    entity: E,
    where: Where<E> | Key,
    options?: FindOptions<E, F>,
  ): Promise<Pick<Row<E>, F> | null>
  count<E extends Entity>(entity: E, where?: Where<E>): Promise<number>
  /** Returns the id that the database assigns; 0 in a table without one. Throws UniqueViolation. */
  insert<E extends Entity>(entity: E, row: RequiredEntityData<Row<E>>): Promise<number>
  /** Inserts rows that have the same columns, and at least one. Throws UniqueViolation. */
  insertAll<E extends Entity>(entity: E, rows: readonly RequiredEntityData<Row<E>>[]): Promise<void>
  /** Inserts a row, or changes the one with its key. With `ignore` that one stays as it is. */
  upsert<E extends Entity>(entity: E, row: RequiredEntityData<Row<E>>, present?: 'ignore'): Promise<void>
  /** `upsert` for rows of different keys that have the same columns, and at least one. */
  upsertAll<E extends Entity>(entity: E, rows: readonly RequiredEntityData<Row<E>>[]): Promise<void>
  /** Returns the number of changed rows. Throws UniqueViolation. */
  update<E extends Entity>(entity: E, where: Where<E>, change: EntityData<Row<E>>): Promise<number>
  /** Returns the number of deleted rows. */
  delete<E extends Entity>(entity: E, where: Where<E>): Promise<number>
  /**
   * Waits in line for a gate of this name until the transaction ends: those that share it pass together, one that is alone
   * passes by itself. SQLite needs none: it has one writer at a time.
   */
  gate(name: string, how: 'shared' | 'alone'): Promise<void>
  /** Reads what the others cannot express; `?` marks a parameter. The rows have the column names of the SQL. */
  query<R extends object>(sql: string, ...values: (string | number)[]): Promise<R[]>
  /** Runs a statement that the others cannot express; `?` marks a parameter. Returns the number of changed rows. */
  run(sql: string, ...values: (string | number | null)[]): Promise<number>
}

type Where<E extends Entity> = FilterQuery<Row<E>> & object
type Key = string | number
type Condition = Readonly<Record<string, unknown>>

/** Tables over the statements of one connection or transaction. */
export function openTables(shapeOf: (name: string) => Shape, dialect: Dialect, statements: Statements): Tables {
  const builder = (entity: Entity) => new Statement(shapeOf(entity.meta.className), dialect)

  async function find(entity: Entity, where: object, options: FindOptions<Entity, string> = {}): Promise<never[]> {
    const statement = builder(entity)
    const { shape } = statement
    const columns = options.fields?.map((name) => columnOf(shape, name)) ?? [...shape.columns.values()]
    const { table } = shape
    const sql = `select ${columns.map(({ name }) => name).join(', ')} from ${table}${statement.where(where)}${statement.page(options)}`
    const rows = await statements.lists(sql, statement.values)
    return rows.map((row) =>
      Object.fromEntries(columns.map(({ property, read }, index) => [property, read(row[index])])),
    ) as never[]
  }

  async function insertBy(
    entity: Entity,
    rows: readonly Condition[],
    suffix: (statement: Statement, names: string[]) => string,
  ) {
    const statement = builder(entity)
    const set = Object.keys(rows[0] ?? {}).filter((name) => rows[0]?.[name] !== undefined)
    const names = set.map((name) => columnOf(statement.shape, name).name)
    const marks = rows.map((row) => `(${set.map((name) => statement.bound(name, row[name])).join(', ')})`)
    const { serial, table } = statement.shape
    const into = `insert into ${table} (${names.join(', ')}) values ${marks.join(', ')}${suffix(statement, names)}`
    const returning = serial !== null && dialect === 'postgresql' ? ` returning ${serial.name}` : ''
    return await statements.run(into + returning, statement.values)
  }

  async function upsertAll(entity: Entity, rows: readonly Condition[], present?: 'ignore'): Promise<void> {
    await insertBy(entity, rows, ({ shape: { key } }, names) => {
      const others = names.filter((name) => !key.some((column) => column.name === name))
      if (present === 'ignore' || others.length === 0) return ' on conflict do nothing'
      const changes = others.map((name) => `${name} = excluded.${name}`)
      return ` on conflict (${key.map(({ name }) => name).join(', ')}) do update set ${changes.join(', ')}`
    })
  }

  return {
    find,
    async findOne(entity, where, options) {
      const named =
        typeof where === 'object' ? where : { [shapeOf(entity.meta.className).key[0]?.property ?? '']: where }
      return (await find(entity, named, { ...(options as FindOptions<Entity, string>), limit: 1 }))[0] ?? null
    },
    async count(entity, where = {}) {
      const statement = builder(entity)
      const sql = `select count(*) from ${statement.shape.table}${statement.where(where)}`
      return Number((await statements.lists(sql, statement.values))[0]?.[0])
    },
    async insert(entity, row) {
      const { id } = await insertBy(entity, [row], () => '')
      return id
    },
    insertAll: async (entity, rows) => void (await insertBy(entity, rows, () => '')),
    upsert: async (entity, row, present) => await upsertAll(entity, [row], present),
    upsertAll: async (entity, rows) => await upsertAll(entity, rows),
    async update(entity, where, change) {
      const statement = builder(entity)
      const set = Object.entries(change).filter(([, value]) => value !== undefined)
      if (set.length === 0) throw new Error(`Nothing of ${statement.shape.table} would change.`)
      const sets = set.map(
        ([name, value]) => `${columnOf(statement.shape, name).name} = ${statement.bound(name, value)}`,
      )
      const sql = `update ${statement.shape.table} set ${sets.join(', ')}${statement.where(where)}`
      return (await statements.run(sql, statement.values)).changes
    },
    async delete(entity, where) {
      const statement = builder(entity)
      const sql = `delete from ${statement.shape.table}${statement.where(where)}`
      return (await statements.run(sql, statement.values)).changes
    },
    async gate(name, how) {
      if (dialect === 'sqlite') return
      const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
      await statements.lists(`select ${lock}(hashtext($1))`, [name])
    },
    query: async (sql, ...values) => (await statements.objects(numbered(dialect, sql), values)) as never[],
    run: async (sql, ...values) => (await statements.run(numbered(dialect, sql), values)).changes,
  }
}

/** The SQL with the parameters of the dialect in place of `?`. */
function numbered(dialect: Dialect, sql: string): string {
  let count = 0
  return dialect === 'sqlite' ? sql : sql.replaceAll('?', () => `$${++count}`)
}

const comparisons: Readonly<Record<string, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=', $like: 'like' }

/** The parts of one statement, in the order in which their values are bound. */
class Statement {
  readonly values: Value[] = []
  readonly shape: Shape
  readonly #dialect: Dialect

  constructor(shape: Shape, dialect: Dialect) {
    this.shape = shape
    this.#dialect = dialect
  }

  /** The mark of a value of a column. */
  bound(property: string, value: unknown): string {
    return this.#mark(columnOf(this.shape, property).bind(value))
  }

  where(condition: object): string {
    const text = this.#all(condition as Condition)
    return text === '' ? '' : ` where ${text}`
  }

  page({ orderBy = {}, limit, offset, lock }: FindOptions<Entity, string>): string {
    const order = Object.entries(orderBy).map(([name, way]) => `${columnOf(this.shape, name).name} ${way}`)
    return [
      order.length === 0 ? '' : ` order by ${order.join(', ')}`,
      limit === undefined ? '' : ` limit ${this.#mark(limit)}`,
      offset === undefined ? '' : ` offset ${this.#mark(offset)}`,
      lock === undefined || this.#dialect === 'sqlite' ? '' : ` for ${lock}`,
    ].join('')
  }

  #mark(value: Value): string {
    this.values.push(value)
    return this.#dialect === 'sqlite' ? '?' : `$${this.values.length}`
  }

  #all(condition: Condition): string {
    return Object.entries(condition)
      .map(([name, wanted]) => this.#one(name, wanted))
      .join(' and ')
  }

  #one(name: string, wanted: unknown): string {
    if (name === '$or' || name === '$and') {
      const parts = (wanted as Condition[]).map((part) => `(${this.#all(part)})`)
      return `(${parts.join(name === '$or' ? ' or ' : ' and ')})`
    }
    if (name === '$not') return `not (${this.#all(wanted as Condition)})`
    const { name: column } = columnOf(this.shape, name)
    // A condition that a mistake left empty must not match every row.
    if (wanted === undefined) throw new Error(`The condition on ${column} is undefined.`)
    if (wanted === null) return `${column} is null`
    if (Array.isArray(wanted)) return this.#listed(name, wanted)
    if (typeof wanted !== 'object' || wanted instanceof Date) return `${column} = ${this.bound(name, wanted)}`
    const parts = Object.entries(wanted).map(([operator, value]) => this.#compared(name, operator, value))
    if (parts.length === 0) throw new Error(`The condition on ${column} is empty.`)
    return parts.join(' and ')
  }

  #compared(name: string, operator: string, value: unknown): string {
    const { name: column } = columnOf(this.shape, name)
    if (operator === '$in') return this.#listed(name, value as unknown[])
    if (operator === '$nin') return `not (${this.#listed(name, value as unknown[])})`
    if (operator === '$ne') return value === null ? `${column} is not null` : `${column} <> ${this.bound(name, value)}`
    const sign = comparisons[operator]
    if (sign === undefined) throw new Error(`Tables know no condition ${operator}.`)
    return `${column} ${sign} ${this.bound(name, value)}`
  }

  /** One text for lists of every length, so that the statement is prepared once. */
  #listed(name: string, wanted: readonly unknown[]): string {
    const { name: column, bind } = columnOf(this.shape, name)
    const values = wanted.map((value) => bind(value)) as (string | number)[]
    return this.#dialect === 'sqlite'
      ? `${column} in (select value from json_each(${this.#mark(JSON.stringify(values))}))`
      : `${column} = any(${this.#mark(values)})`
  }
}

function columnOf(shape: Shape, property: string) {
  const column = shape.columns.get(property)
  if (column === undefined) throw new Error(`The table ${shape.table} has no column for ${property}.`)
  return column
}

/** A query of committed rows that is written once and run often. */
export function queryOf<R extends object>(
  { tables }: { tables: Tables },
  sql: string,
): (...values: (string | number)[]) => Promise<R[]> {
  return async (...values) => await tables.query<R>(sql, ...values)
}
