import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { allOrNothing } from './all-or-nothing.ts'

test('a failed write changes nothing, and its cause is thrown', () => {
  using database = new DatabaseSync(':memory:')
  database.exec('PRAGMA max_page_count = 8; CREATE TABLE stored (bytes BLOB)')
  const rows = () => database.prepare('SELECT count(*) AS count FROM stored').get()?.count
  const insert = (bytes: number) => () => void database.prepare('INSERT INTO stored VALUES (zeroblob(?))').run(bytes)
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
