import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { dataFolder } from '../data-folder.ts'
import { shared } from '../shared.ts'

/**
 * Opens the database of the test, empty at first. On PostgreSQL each further call opens it as another process would;
 * SQLite serves one process, so there the open one is returned. `restart` closes it and opens it again.
 */
export type Open = (() => Promise<Database>) & { restart(): Promise<Database> }

type Settings = { url: string | null; dataDir: string }

/** How the tests of one suite come to an empty database with all tables, each after the other. */
type Source = {
  /** Makes one, for a test whose folder this is. */
  make(dataDir: string): Promise<Settings>
  /** Called where the test first opens it, and after the test while it is open. */
  opened(database: Database): Promise<void>
  used(database: Database): Promise<void>
}

/**
 * Declares the suite for SQLite and for a real PostgreSQL. Every test begins with an empty migrated database: a copy on
 * SQLite, the emptied one of the test before on PostgreSQL, where a copy is dear. Everything is closed after each test.
 */
export function eachDatabase(name: string, suite: (open: Open) => void): void {
  describe(`${name} on SQLite`, () => {
    let template: ReturnType<typeof dataFolder>
    beforeAll(async () => {
      template = dataFolder()
      await migrate({ url: null, dataDir: template.path })
    })
    afterAll(() => template?.[Symbol.dispose]())
    const make = async (dataDir: string) => {
      cpSync(template.path, dataDir, { recursive: true })
      return { url: null, dataDir }
    }
    suite(opener({ make, opened: async () => undefined, used: async () => undefined }))
  })

  describe(`${name} on PostgreSQL`, () => {
    let url: Promise<string> | null = null
    let initial: TableRows[] | null = null
    const make = async (dataDir: string) => {
      url ??= shared('database')
      return { url: await url, dataDir }
    }
    const opened = async (database: Database) => {
      initial ??= await initialRows(database)
    }
    const used = async (database: Database) => {
      // A test may have closed the database, or broken it. Then the next one gets another.
      if (!(await empty(database, initial ?? []).catch(() => false))) url = null
    }
    suite(opener({ make, opened, used }))
  })
}

type TableRows = { name: string; rows: string }

const ownTables =
  "select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^mikro_orm'"

/** The rows that migrations insert, as JSON, by their tables. */
async function initialRows({ tables }: Database): Promise<TableRows[]> {
  const names = await tables.query<{ name: string }>(`select oid::text as name from (${ownTables}) as own(oid)`)
  const all = names.map(async ({ name }) => {
    const [found] = await tables.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`)
    return { name, rows: found?.rows ?? '' }
  })
  return (await Promise.all(all)).filter(({ rows }) => rows !== '')
}

/** Brings a database of PostgreSQL back to how the migrations left it, ids included. */
async function empty({ tables }: Database, initial: readonly TableRows[]): Promise<true> {
  await tables.run(`do $$ declare t regclass; filled boolean; begin
    for t in ${ownTables} loop
      execute format('select exists (select from %s)', t) into filled;
      if filled then execute format('truncate %s cascade', t); end if;
    end loop;
    perform setval(oid, 1, false) from pg_class where relkind = 'S' and relname !~ '^mikro_orm';
  end $$`)
  for (const { name, rows } of initial)
    await tables.run(`insert into ${name} select * from json_populate_recordset(null::${name}, ?)`, rows)
  return true
}

async function migrate(settings: Settings): Promise<void> {
  await (await openDatabase(settings))[Symbol.asyncDispose]()
}

function opener({ make, opened, used }: Source): Open {
  const databases: Database[] = []
  let settings: Promise<Settings> | null = null
  let folder: ReturnType<typeof dataFolder> | null = null
  afterAll(() => folder?.[Symbol.dispose]())

  const close = async (): Promise<void> => {
    for (const database of databases.splice(0)) await database[Symbol.asyncDispose]()
  }
  afterEach(async () => {
    if (databases[0] !== undefined) await used(databases[0])
    await close()
    if (settings !== null) rmSync((await settings).dataDir, { recursive: true, force: true })
    settings = null
  })

  const open = async (): Promise<Database> => {
    folder ??= dataFolder()
    settings ??= make(mkdtempSync(join(folder.path, 'db-')))
    const { url, dataDir } = await settings
    if (url === null && databases[0] !== undefined) return databases[0]
    const database = await openDatabase({ url, dataDir })
    databases.push(database)
    await opened(database)
    return database
  }
  const restart = async (): Promise<Database> => {
    await close()
    return await open()
  }
  return Object.assign(open, { restart })
}
