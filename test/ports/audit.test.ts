import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import { openWalletPolicies } from '../../src/adapters/storage/accounts/wallet-policies.ts'
import { openWallets } from '../../src/adapters/storage/accounts/wallets.ts'
import { type AuditEntry, appendAudit } from '../../src/adapters/storage/audit/audit.ts'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { eachDatabase } from './databases.ts'
import { addAccount } from './rows.ts'

const entryOf = (subject: string): AuditEntry => ({
  kind: 'decision',
  subject,
  facts: { status: 'accepted', value_usd: '12.5', words: 'naïve “text”\u2028' },
})

/** Two accounts with five entries each, written by two processes at once. */
async function written(open: () => Promise<Database>) {
  const databases = [await open(), await open()]
  const [ada, bob] = [await addAccount(databases[0]!, 1), await addAccount(databases[0]!, 2)]
  await Promise.all(
    [ada, bob].flatMap((userId) =>
      Array.from({ length: 5 }, (_, index) =>
        databases[index % 2]!.transaction((tables) => appendAudit(tables, userId, entryOf(`${index}`))),
      ),
    ),
  )
  const change = (sql: string) => databases[0]!.tables.run(sql)
  return { database: databases[1]!, ada, bob, change }
}

eachDatabase('the audit log', (open) => {
  test('holds what several processes append at once, after a restart too', async () => {
    const { database } = await written(open)
    expect(await verifyAudit(database)).toMatchObject({ entries: 10, heads: [{ seq: 5 }, { seq: 5 }], broken: null })
    expect(await verifyAudit(await open.restart())).toMatchObject({ entries: 10, broken: null })
  })

  test('keeps nothing of what was rolled back', async () => {
    const { database, ada } = await written(open)
    const failing = database.transaction(async (tables) => {
      await appendAudit(tables, ada, entryOf('undone'))
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await verifyAudit(database)).toMatchObject({ entries: 10, heads: [{ seq: 5 }, { seq: 5 }], broken: null })
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

  test('entries that are appended during the reading are no break', async () => {
    const { database, ada } = await written(open)
    await database.transaction(async (tables) => await appendAudit(tables, ada, entryOf('first')))
    const reading = verifyAudit(database)
    const writing = database.transaction(async (tables) => await appendAudit(tables, ada, entryOf('meanwhile')))
    expect((await reading).broken).toBe(null)
    await writing
  })

  test('a removed end with its head is found by heads that were stored elsewhere', async () => {
    const { database, ada, bob, change } = await written(open)
    const { heads } = await verifyAudit(database)
    await database.transaction(async (tables) => await appendAudit(tables, ada, entryOf('later')))
    expect((await verifyAudit(database, heads)).broken).toBe(null)
    const newest = `select hash from audit where user_id = ${bob} and seq = 4`
    await change(`delete from audit where user_id = ${bob} and seq = 5`)
    await change(`update audit_head set seq = 4, hash = (${newest}) where user_id = ${bob}`)
    expect((await verifyAudit(database)).broken).toBe(null)
    expect((await verifyAudit(database, heads)).broken).toMatchObject({ userId: bob, seq: 5 })
    await database.transaction(async (tables) => await appendAudit(tables, bob, entryOf('another')))
    expect((await verifyAudit(database, heads)).broken).toMatchObject({ userId: bob, seq: 5 })
  })
})

eachDatabase('what the operator and the owner of a wallet order', (open) => {
  const facts = async (database: Database, userId: number) => {
    const entries = await database.tables.find(AuditEntity, { userId }, { orderBy: { seq: 'asc' } })
    return entries.map(({ kind, subject, facts }) => [kind, subject, JSON.parse(facts)])
  }

  test('a halt that is set and one that is lifted are entries of the operator, those that change nothing are not', async () => {
    const [one, two] = [await open(), await open()]
    const [first, second] = [openHalts(one), openHalts(two)]
    const wallet = { scope: 'wallet', id: '0xAb' } as const
    await Promise.all([first, second].map((halts) => halts.set(wallet, new Date())))
    await first.set({ scope: 'global', id: '' }, new Date())
    await Promise.all([first, second].map((halts) => halts.clear(wallet)))
    expect(await facts(one, 0)).toEqual([
      ['halt', 'wallet:0xab', { set: true }],
      ['halt', 'global', { set: true }],
      ['halt', 'wallet:0xab', { lifted: true }],
    ])
    expect((await verifyAudit(one)).broken).toBe(null)
  })

  test('limits of a wallet and a wallet that is granted are entries of its account', async () => {
    const database = await open()
    const userId = await addAccount(database, 1)
    const address = `0x${'Ab'.repeat(20)}` as const
    const remote = { ref: 'vault', address, sealedKey: null }
    const wallet = await openWallets(database).create(userId, remote, 'none', new Date(), 10)
    if (wallet === null || typeof wallet === 'string') throw new Error('no wallet')
    const unlimited = { maxTradeUsd: null, maxDailyUsd: null, tokens: null, venues: null, chains: null }
    const policies = openWalletPolicies(database)
    await policies.set(wallet, { ...unlimited, maxTradeUsd: 5n * 10n ** 17n, venues: ['uniswap_v2'], chains: [1] })
    await policies.set(wallet, unlimited)
    const of = { wallet_ref: 'vault', address }
    const none = { max_trade_usd_e18: null, max_daily_usd_e18: null, tokens: null, venues: null, chains: null }
    const limits = { max_trade_usd_e18: `${5n * 10n ** 17n}`, venues: ['uniswap_v2'], chains: [1] }
    expect(await facts(database, userId)).toEqual([
      ['grant', `wallet:${wallet.id}`, { granted: true, ...of }],
      ['policy', `wallet:${wallet.id}`, { ...of, ...none, ...limits }],
      ['policy', `wallet:${wallet.id}`, { ...of, ...none }],
    ])
    expect((await verifyAudit(database)).broken).toBe(null)
  })
})

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trident-audit-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = (dataDir: string, ...more: string[]) => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
    const cwd = join(import.meta.dirname, '../..')
    return spawnSync(process.execPath, ['scripts/verify-audit.ts', ...more], { cwd, env, encoding: 'utf8' })
  }

  test('fails where there is no database, and creates none', () => {
    const { status, stderr } = run(join(folder, 'nowhere'))
    expect(status).toBe(1)
    expect(stderr).toContain(`There is no database at ${join(folder, 'nowhere', 'trident.sqlite')}`)
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  test('fails where the database has no log', () => {
    mkdirSync(join(folder, 'empty'))
    writeFileSync(join(folder, 'empty', 'trident.sqlite'), '')
    const { status, stderr } = run(join(folder, 'empty'))
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'The database has no audit log.\n' })
    expect(statSync(join(folder, 'empty', 'trident.sqlite')).size).toBe(0)
  })

  test('prints the heads, takes them again, and changes nothing', async () => {
    const dataDir = join(folder, 'log')
    {
      await using database = await openDatabase({ url: null, dataDir })
      const userId = await addAccount(database, 1)
      await database.transaction(async (tables) => await appendAudit(tables, userId, entryOf('one')))
    }
    const before = readFileSync(join(dataDir, 'trident.sqlite'))
    const { status, stdout, stderr } = run(dataDir, '--heads')
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'The audit log is intact: 1 entries of 1 accounts.\n' })
    expect(stdout).toMatch(/^1 1 [0-9a-f]{64}\n$/)
    const file = join(folder, 'heads')
    writeFileSync(file, stdout)
    expect(run(dataDir, '--expect', file)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('All 1 expected'),
    })
    writeFileSync(file, `${stdout}1 2 ${'ab'.repeat(32)}\n`)
    expect(run(dataDir, '--expect', file)).toMatchObject({ status: 1, stderr: expect.stringContaining('entry 2') })
    writeFileSync(file, 'ab\n')
    expect(run(dataDir, '--expect', file)).toMatchObject({ status: 1, stderr: expect.stringContaining('Line 1') })
    expect(readFileSync(join(dataDir, 'trident.sqlite'))).toEqual(before)
  })
})
