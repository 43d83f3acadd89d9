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

/** A database of one table, and a disk that confirms a commit when it is told to. */
function world() {
  const folder = dataFolder()
  const path = join(folder.path, 'test.sqlite')
  const [writer, reader] = [opened(path), opened(path)]
  writer.exec('pragma journal_mode = wal; create table word (text text)')
  const confirmations: PromiseWithResolvers<void>[] = []
  const sync = () => {
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

test('nobody is answered, and nobody reads, what the disk has not confirmed', async () => {
  using it = world()
  const first = it.write('first')
  await sleep(20)
  const second = it.write('second') // comes while the disk is busy, and shares the next commit with the third
  const third = it.write('third')
  const reading = it.read().then((words) => it.answers.push(`read ${words.join(' and ')}`))
  await sleep(20)
  expect([it.confirmations.length, it.answers]).toEqual([1, []])
  it.confirmations[0]?.resolve()
  await first
  await sleep(20)
  expect(it.confirmations).toHaveLength(2)
  it.confirmations[1]?.resolve()
  await Promise.all([second, third, reading])
  expect(it.answers.filter((answer) => !answer.startsWith('read'))).toEqual(['first', 'second', 'third'])
  // A read that was ready between the two commits saw the first alone, another one saw all.
  expect(['read first', 'read first and second and third']).toContain(
    it.answers.find((answer) => answer.startsWith('read')),
  )
})

test('after the disk has failed, nothing is answered any more', async () => {
  using it = world()
  const writing = it.write('first')
  await sleep(20)
  it.confirmations[0]?.reject(new Error('EIO'))
  await writing
  await it.write('second')
  await expect(it.read()).rejects.toThrow('The disk did not confirm a write.')
  const why = 'The disk did not confirm a write. Check it, and start the gateway again.'
  expect(it.answers).toEqual([`first: ${why}`, `second: ${why}`])
  await it.idle()
})
