import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { allOrNothing } from './all-or-nothing.ts'

test('a write that fails leaves nothing behind, and what is thrown is its cause', () => {
  using database = new DatabaseSync(':memory:')
  database.exec('PRAGMA max_page_count = 8; CREATE TABLE kept (bytes BLOB)')
  const rows = () => database.prepare('SELECT count(*) AS count FROM kept').get()?.count
  const insert = (bytes: number) => () => void database.prepare('INSERT INTO kept VALUES (zeroblob(?))').run(bytes)
  const stop = () => {
    insert(10)()
    throw new Error('no further')
  }
  expect(() => allOrNothing(database, insert(100_000))).toThrow('database or disk is full')
  expect(() => allOrNothing(database, stop)).toThrow('no further')
  expect(rows()).toBe(0)
  allOrNothing(database, insert(10))
  expect(rows()).toBe(1)
})
