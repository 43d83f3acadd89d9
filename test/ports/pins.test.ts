import { expect, test } from 'vitest'
import { openPins, type SharedSecrets } from '../../src/adapters/storage/accounts/pins.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { shared } from '../shared.ts'
import { eachDatabase } from './databases.ts'

const [old, present, foreign] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const setting = (...secrets: [string, ...string[]]) => ({ secrets, from: 'setting', isFresh: false }) as const
const file = (isFresh: boolean, ...secrets: [string, ...string[]]) => ({ secrets, from: 'file', isFresh }) as const

function given(changes: Partial<SharedSecrets> = {}): SharedSecrets {
  return { masterKeys: [old], tokens: setting('a'), operatorToken: 'operator', ...changes }
}

const pin = async (database: Database, changes: Partial<SharedSecrets>) =>
  await openPins(database).secrets(given(changes))

eachDatabase('the pins', (open) => {
  test('refuse another master key by name, and show no secret', async () => {
    const database = await open()
    await pin(database, {})
    await expect(pin(database, { masterKeys: [foreign] })).rejects.toThrow(/^MASTER_KEY is not that of this database/)
    await expect(pin(database, { masterKeys: [foreign, present] })).rejects.toThrow(/^MASTER_KEY /)
    expect(await pin(database, {})).toEqual({ sealsWith: old, endedLogins: false, operatorTokensDiffer: false })
    const stored = await database.tables.query('select * from pin')
    expect(JSON.stringify(stored)).not.toMatch(/(01){8}|"a"/)
  })

  test('move to a new master key where the old one is given, and with it those of tokens', async () => {
    const database = await open()
    await pin(database, {})
    expect(await pin(database, { masterKeys: [present, old] })).toMatchObject({ sealsWith: present })
    expect(await openPins(database).sealsWith([old, present])).toBe(present)
    expect(await pin(database, { masterKeys: [present] })).toMatchObject({ sealsWith: present })
    await expect(pin(database, {})).rejects.toThrow(/^MASTER_KEY /)
    await expect(pin(database, { masterKeys: [present], tokens: setting('b') })).rejects.toThrow(/^TOKEN_SECRET /)
  })

  test('move with TOKEN_SECRET where it contains the pinned secret, and refuse the rest by name', async () => {
    const database = await open()
    await pin(database, {})
    await expect(pin(database, { tokens: setting('b') })).rejects.toThrow(/^TOKEN_SECRET does not contain/)
    await pin(database, { tokens: setting('a', 'b') })
    await pin(database, { tokens: setting('a') })
    await pin(database, { tokens: setting('b', 'a') })
    await expect(pin(database, { tokens: setting('a') })).rejects.toThrow(/TOKEN_SECRET.*delete from pin/)
    await pin(database, { tokens: setting('b') })
    await expect(pin(database, { tokens: file(false, 'f') })).rejects.toThrow(/^TOKEN_SECRET is not set, and this/)
    await database.tables.run("delete from pin where name = 'TOKEN_SECRET'")
    await pin(database, { tokens: setting('c') })
  })

  test('of token-keys.json lead to TOKEN_SECRET in the replica that has the file', async () => {
    const database = await open()
    await pin(database, { tokens: file(true, 'f') })
    await pin(database, { tokens: file(false, 'g', 'f') })
    await expect(pin(database, { tokens: setting('a') })).rejects.toThrow(/^TOKEN_SECRET is new.*has that file/)
    await pin(database, { tokens: setting('a', 'g', 'f') })
    await pin(database, { tokens: setting('a') })
    await expect(pin(database, { tokens: file(true, 'h') })).rejects.toThrow(/^TOKEN_SECRET is not set/)
  })

  test('know the first block of each chain, or the earliest one that a node has', async () => {
    const database = await open()
    const pins = openPins(database)
    const blocks =
      (hash: string, first = 0n) =>
      async (block: string) => {
        const number = block === 'earliest' ? first : BigInt(block)
        return number < first ? null : { number, hash: `${hash}${number}` }
      }
    await pins.chain(1, async () => null)
    await pins.chain(1, blocks('0xa', 5n))
    await pins.chain(1, blocks('0xa'))
    await pins.chain(1, blocks('0xb', 9n)) // it cannot tell
    await pins.chain(2, blocks('0xb'))
    const other = pins.chain(1, blocks('0xb'))
    await expect(other).rejects.toThrow(/chain 1 is not .* block 5 is 0xb5, not 0xa5\. It is a second embedded world/)
  })
})

const onPostgres = async () => {
  const url = await shared('empty-database')
  return async () => await openDatabase({ url, dataDir: 'unused' })
}

test('one of several replicas that start at once with different secrets wins, the others are refused', async () => {
  const open = await onPostgres()
  const databases = await Promise.all([1, 2, 3].map(open))
  const starts = databases.map((database, index) => pin(database, { tokens: file(true, `made by ${index}`) }))
  const ends = await Promise.allSettled(starts)
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  for (const end of ends)
    if (end.status === 'rejected')
      expect(end.reason.message).toMatch(/^TOKEN_SECRET is not set.*restart that one first/)
  for (const database of databases) await database[Symbol.asyncDispose]()
})

test('a master key is in force once every living replica knows it, in either order', async () => {
  const open = await onPostgres()
  const [a, b] = [await open(), await open()]
  const [first] = [await pin(a, {}), await pin(b, {})]
  expect(first.sealsWith).toBe(old)
  const again = await open() // the replica a is started anew
  await a[Symbol.asyncDispose]()
  expect(await pin(again, { masterKeys: [present, old] })).toMatchObject({ sealsWith: old })
  expect(await pin(await restarted(b, open), { masterKeys: [present, old] })).toMatchObject({ sealsWith: present })
  expect(await openPins(again).sealsWith([present, old])).toBe(present)
  await again[Symbol.asyncDispose]()
}, 60_000)

test('replicas whose operator tokens differ learn it, also amid a rotation of the master key', async () => {
  const open = await onPostgres()
  const databases = await Promise.all([1, 2, 3].map(open))
  const [a, b, c] = databases as [Database, Database, Database]
  expect(await pin(a, { masterKeys: [old, present] })).toMatchObject({ operatorTokensDiffer: false })
  expect(await pin(b, { masterKeys: [present, old] })).toMatchObject({ operatorTokensDiffer: false })
  expect(await pin(c, { masterKeys: [present], operatorToken: 'another' })).toMatchObject({
    operatorTokensDiffer: true,
  })
  for (const database of databases) await database[Symbol.asyncDispose]()
})

async function restarted(database: Database, open: () => Promise<Database>): Promise<Database> {
  await database[Symbol.asyncDispose]()
  return await open()
}
