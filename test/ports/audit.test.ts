import { expect, test } from 'vitest'
import { type AuditEntry, appendAudit, verifyAudit } from '../../src/adapters/storage/audit.ts'
import type { Database } from '../../src/adapters/storage/database.ts'
import { eachDatabase } from './databases.ts'
import { addAccount } from './rows.ts'

const entryOf = (userId: number, subject: string): AuditEntry => ({
  ...{ userId, kind: 'decision', subject },
  facts: { status: 'accepted', value_usd: '12.5', words: 'naïve “text”\u2028' },
})

/** Two accounts with five entries each, written by two processes at once. */
async function written(open: () => Promise<Database>) {
  const databases = [await open(), await open()]
  const [ada, bob] = [await addAccount(databases[0]!, 1), await addAccount(databases[0]!, 2)]
  await Promise.all(
    [ada, bob].flatMap((userId) =>
      Array.from({ length: 5 }, (_, index) =>
        databases[index % 2]!.transaction((em) => appendAudit(em, entryOf(userId, `${index}`))),
      ),
    ),
  )
  const change = (sql: string) => databases[0]!.fork().getConnection().execute(sql)
  return { database: databases[1]!, ada, bob, change }
}

eachDatabase('the audit log', (open) => {
  test('holds what several processes append at once, after a restart too', async () => {
    const { database } = await written(open)
    expect(await verifyAudit(database)).toEqual({ entries: 10, accounts: 2, broken: null })
    expect(await verifyAudit(await open.restart())).toMatchObject({ entries: 10, broken: null })
  })

  test('keeps nothing of what was rolled back', async () => {
    const { database, ada } = await written(open)
    const failing = database.transaction(async (em) => {
      await appendAudit(em, entryOf(ada, 'undone'))
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await verifyAudit(database)).toEqual({ entries: 10, accounts: 2, broken: null })
  })

  test.each<[string, (bob: number) => string, number]>([
    ['an entry changed', (bob) => `update audit set facts = '{}' where user_id = ${bob} and seq = 3`, 3],
    [
      'a moment changed',
      (bob) => `update audit set at = '2020-01-01T00:00:00.000Z' where user_id = ${bob} and seq = 1`,
      1,
    ],
    ['an entry left out', (bob) => `delete from audit where user_id = ${bob} and seq = 2`, 2],
    ['the end cut off', (bob) => `delete from audit where user_id = ${bob} and seq > 3`, 4],
    [
      'a hash made to fit',
      (bob) => `update audit set hash = '${'ab'.repeat(32)}' where user_id = ${bob} and seq = 4`,
      4,
    ],
    ['the head changed', (bob) => `update audit_head set hash = '${'ab'.repeat(32)}' where user_id = ${bob}`, 5],
    ['the head removed', (bob) => `delete from audit_head where user_id = ${bob}`, 1],
  ])('%s is found, at the entry where it first does not hold', async (_name, sql, seq) => {
    const { database, bob, change } = await written(open)
    await change(sql(bob))
    expect((await verifyAudit(database)).broken).toEqual({ userId: bob, seq, reason: expect.any(String) })
  })
})
