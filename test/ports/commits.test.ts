import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  type SqliteHandle,
  sqliteStatements,
  sqliteTransactions,
} from '../../src/adapters/storage/connection/sqlite.ts'
import { dataFolder } from '../data-folder.ts'

/** A database of one table, and a disk whose commits a test confirms, or `confirm`. */
function world(confirm?: (committed: SqliteHandle) => Promise<void>) {
  const folder = dataFolder()
  const path = join(folder.path, 'test.sqlite')
  const [writer, reader] = [opened(path), opened(path)]
  writer.exec('pragma journal_mode = wal; create table word (text text)')
  const confirmations: PromiseWithResolvers<void>[] = []
  const sync = () => {
    if (confirm !== undefined) return confirm(writer)
    const confirmation = Promise.withResolvers<void>()
    confirmations.push(confirmation)
    return confirmation.promise
  }
  const watch = { statement: () => undefined, committed: () => undefined }
  const { transactions, unsynced, idle } = sqliteTransactions(writer, watch, sync)
  const committed = sqliteStatements(reader, watch, unsynced)
  const answers: string[] = []
  const write = async (text: string) => {
    await transactions(async ({ run }) => await run('insert into word values (?)', [text])).then(
      () => answers.push(text),
      (failure: Error) => answers.push(`${text}: ${failure.message}`),
    )
  }
  const read = async () => (await committed.lists('select text from word order by text', [])).flat()
  const close = () => {
    writer.close()
    reader.close()
    folder[Symbol.dispose]()
  }
  return { write, read, answers, confirmations, idle, [Symbol.dispose]: close }
}

/** Node's own driver in place of the one that storage uses, which is the ORM's. */
function opened(path: string): SqliteHandle {
  const database = new DatabaseSync(path)
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      const ours = {
        all: (...values: unknown[]) => statement.all(...(values as string[])),
        run: (...values: unknown[]) => statement.run(...(values as string[])),
        raw(toggle: boolean) {
          statement.setReturnArrays(toggle)
          return ours
        },
      }
      return ours as ReturnType<SqliteHandle['prepare']>
    },
    exec: (sql) => database.exec(sql),
    get inTransaction() {
      return database.isTransaction
    },
    close: () => database.close(),
  }
}

test('no caller is answered, and none reads, what the disk has not confirmed', async () => {
  using it = world()
  const first = it.write('first')
  await until(() => it.confirmations.length === 1)
  const early = it.read().then((words) => it.answers.push(`read ${words.join(' and ')}`))
  const second = it.write('second') // waits, because the disk is busy
  await sleep(20)
  expect([it.confirmations.length, it.answers]).toEqual([1, []])
  it.confirmations[0]?.resolve()
  await Promise.all([first, early])
  await until(() => it.confirmations.length === 2)
  expect(it.answers.toSorted()).toEqual(['first', 'read first'])
  const late = it.read().then((words) => it.answers.push(`read ${words.join(' and ')}`))
  await sleep(20)
  expect(it.answers).toHaveLength(2)
  it.confirmations[1]?.resolve()
  await Promise.all([second, late])
  expect(it.answers.toSorted()).toEqual(['first', 'read first', 'read first and second', 'second'])
})

test('readers among many writers see only what the disk has confirmed', async () => {
  const confirmed = new Set<string>()
  const words = 'select text from word'
  using it = world(async (committed) => {
    const now = committed.prepare(words).raw(true).all() as string[][]
    await sleep(2)
    for (const [word = ''] of now) confirmed.add(word)
  })
  let writing = true
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let count = 0; count < 25; count += 1) await it.write(`${writer} ${count}`)
  })
  const readers = Array.from({ length: 4 }, async () => {
    while (writing) expect((await it.read()).filter((word) => !confirmed.has(String(word)))).toEqual([])
  })
  await Promise.all(writers)
  writing = false
  await Promise.all(readers)
  expect(await it.read()).toHaveLength(200)
})

test('after the disk has failed, nothing is answered any more', async () => {
  using it = world()
  const writing = it.write('first')
  await until(() => it.confirmations.length === 1)
  it.confirmations[0]?.reject(new Error('EIO'))
  await writing
  await it.write('second')
  await expect(it.read()).rejects.toThrow('EIO')
  expect(it.answers).toEqual(['first: EIO', 'second: EIO'])
  await it.idle()
})

const until = async (isSo: () => boolean) => await expect.poll(isSo, { interval: 1, timeout: 120_000 }).toBe(true)
