import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { queryOf } from '../../src/adapters/storage/connection/tables.ts'
import { AccountEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { dataFolder } from '../data-folder.ts'
import { shared } from '../shared.ts'
import { eachDatabase } from './databases.ts'

const row = { email: 'ada@example.com', passwordHash: 'x', createdAt: new Date('2026-03-01T10:00:00.123Z') }

eachDatabase('the database', (open) => {
  test('what was written is there after a restart', async () => {
    await (await open()).tables.insert(AccountEntity, row)
    expect(await (await open.restart()).tables.count(AccountEntity)).toBe(1)
  })

  test('a transaction that throws leaves nothing, and times keep their milliseconds', async () => {
    const database = await open()
    const failing = database.transaction(async (tables) => {
      await tables.insert(AccountEntity, row)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await database.tables.count(AccountEntity)).toBe(0)
    await database.transaction(async (tables) => await tables.insert(AccountEntity, row))
    expect((await database.tables.findOne(AccountEntity, { email: row.email }))?.createdAt).toEqual(row.createdAt)
  })

  test('a hot read sees committed rows alone', async () => {
    const database = await open()
    const emails = queryOf<{ email: string }>(database, 'select email from account where id > ?')
    await database.transaction(async (tables) => {
      await tables.insert(AccountEntity, row)
      expect(await emails(0)).toEqual([])
    })
    expect(await emails(0)).toEqual([{ email: row.email }])
  })
})

test('SQLite keeps what it acknowledged, in files for their owner alone', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-db-'))
  const database = await openDatabase({ url: null, dataDir })
  const file = await open(import.meta.filename)
  const synced = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'datasync')
  await file.close()
  await database.tables.insert(AccountEntity, row)
  const files = synced.mock.contexts as FileHandle[]
  synced.mockRestore()
  // Gateways that other tests share may write in this process at any time.
  const written = await Promise.all(files.map(async (one) => (await one.stat().catch(() => null))?.ino))
  const log = statSync(join(dataDir, 'trident.sqlite-wal')).ino
  expect(written.filter((ino) => ino === log)).toHaveLength(1)
  // On the connection that writes.
  const read = async (pragma: string) => await database.transaction((tables) => tables.query(`pragma ${pragma}`))
  expect(await read('journal_mode')).toEqual([{ journal_mode: 'wal' }])
  expect(await read('synchronous')).toEqual([{ synchronous: 1 }]) // the gateway itself waits for the disk
  expect(await read('foreign_keys')).toEqual([{ foreign_keys: 1 }])
  const modes = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mode & 0o777])
  await database[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
  const names = ['trident.sqlite', 'trident.sqlite-shm', 'trident.sqlite-wal']
  expect(modes).toEqual(names.map((name) => [name, 0o600]))
})

test('SQLite behind a symbolic link keeps its log where its file is', async () => {
  using folder = dataFolder()
  const [there, here] = [join(folder.path, 'there'), join(folder.path, 'here')]
  for (const path of [there, here]) mkdirSync(path)
  symlinkSync(join(there, 'data.sqlite'), join(here, 'trident.sqlite'))
  await using database = await openDatabase({ url: null, dataDir: here })
  expect(await database.tables.insert(AccountEntity, row)).toBe(1)
})

test('a full disk is UNAVAILABLE until there is space again', async () => {
  using folder = dataFolder()
  await using database = await openDatabase({ url: null, dataDir: folder.path })
  const most = async (pages: number) => {
    await database.transaction(async (tables) => await tables.query(`pragma max_page_count = ${pages}`))
  }
  const write = async (email: string) => await database.tables.insert(AccountEntity, { ...row, email })
  await most(1)
  await expect(write('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await most(1_000_000)
  expect(await write('ada@example.com')).toBe(1)
})

test('the process ends where the disk does not confirm a write, so that it is started again', async () => {
  using folder = dataFolder()
  const child = spawn(process.execPath, ['--input-type=module', '-e', losesDisk, folder.path], { stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said).toContain('The disk did not confirm a write.')
  expect(said).not.toContain('written')
})

/** Writes to a disk that fails from then on. */
const losesDisk = `
  import { open } from 'node:fs/promises'
  const { openDatabase } = await import('${import.meta.resolve('../../src/adapters/storage/connection/database.ts')}')
  const { tables } = await openDatabase({ url: null, dataDir: process.argv[1] })
  const file = await open(process.argv[1])
  Object.getPrototypeOf(file).datasync = async () => { throw new Error('EIO') }
  await tables.run("insert into account (email, password_hash, created_at) values ('a', 'b', 1)")
  console.log('written')`

test('a transaction that reads first waits while somebody else holds the lock of SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-db-'))
  const database = await openDatabase({ url: null, dataDir })
  await database.tables.count(AccountEntity) // statements are prepared on first use
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const holder = spawn(process.execPath, ['-e', holdsLock, join(dataDir, 'trident.sqlite')], { stdio: [...stdio] })
  const ended = once(holder, 'exit')
  await once(holder.stdout, 'data')
  let turns = 0
  const turning = setInterval(() => (turns += 1), 10)
  const written = database.transaction(async (tables) => {
    await tables.count(AccountEntity)
    await tables.insert(AccountEntity, row)
  })
  const other = database.tables.insert(AccountEntity, { ...row, email: 'grace@example.com' })
  await expect(Promise.all([written, other])).resolves.toEqual([undefined, 2])
  clearInterval(turning)
  expect(turns, 'the event loop goes on meanwhile').toBeGreaterThan(10)
  await ended
  await database[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

/** The lock is held in a separate process, because file locks belong to processes. */
const holdsLock = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1])
  database.exec('begin immediate')
  console.log('held')
  setTimeout(() => database.exec('rollback'), 2_000)
`

test('several processes that start at once on one PostgreSQL migrate it once', async () => {
  const settings = { url: await shared('empty-database'), dataDir: 'unused' }
  const databases = await Promise.all([1, 2, 3, 4].map(() => openDatabase(settings)))
  await databases[0]?.tables.insert(AccountEntity, row)
  expect(await databases[3]?.tables.count(AccountEntity)).toBe(1)
  for (const database of databases) await database[Symbol.asyncDispose]()
})
