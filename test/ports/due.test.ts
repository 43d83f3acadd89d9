import { expect, test } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { AttemptEntity, OutgoingEntity } from '../../src/adapters/storage/entities/sending.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import type { Chain, Head, Hex } from '../../src/domain/ports/chains.ts'
import { dueAccounts, type Seen } from '../../src/domain/sending/due.ts'
import { dataFolder } from '../data-folder.ts'

const accountOf = (index: number): Hex => `0x${String(index).padStart(40, '0')}`
const hashOf = (index: number): Hex => `0x${String(index).padStart(64, '0')}`
const headAt = (number: number): Head => ({ number: BigInt(number), hash: hashOf(number), timestamp: BigInt(number) })

/** A thousand accounts, each with a swap that was offered at block 10 and has a deadline at second 100. */
async function thousand() {
  const folder = dataFolder()
  let statements = 0
  const watch = { statement: () => (statements += 1), committed: () => undefined }
  const database = await openDatabase({ url: null, dataDir: folder.path }, watch)
  const call = { kind: 'swap', toAddress: accountOf(0), data: '0x', value: '0', gas: '1', position: 0, nonce: 0 }
  const rows = Array.from({ length: 1_000 }, (_, index) => {
    const place = { chainId: 1, sender: accountOf(index), fromAddress: accountOf(index), reference: `${index}` }
    const waits = { state: 'broadcast', notified: true, settled: false, version: 1, deadline: 100 }
    return { id: index + 1, ...place, ...call, ...waits }
  })
  await database.tables.insertAll(OutgoingEntity, rows)
  const signed = { position: 0, purpose: 'leg', raw: '0x', maxFeePerGas: '1', maxPriorityFeePerGas: '1', offeredAt: 10 }
  const attempts = rows.map(({ id }, index) => ({ outgoingId: id, hash: hashOf(index), ...signed }))
  await database.tables.insertAll(AttemptEntity, attempts)
  const outbox = openOutbox(database)
  let [head, mined]: [Head, Set<Hex> | null] = [headAt(10), new Set()]
  let reads = 0
  const minedAfter = async () => {
    reads += 1
    return mined === null ? null : { head, hashes: mined }
  }
  const chain = { info: { id: 1 }, head: async () => head, minedAfter } as unknown as Chain
  let seen: Seen | null = null
  /** The accounts that are due at a block, and the statements and reads of the chain that it took. */
  const at = async (number: number, transactions: Set<Hex> | null = new Set()) => {
    head = headAt(number)
    mined = transactions
    statements = reads = 0
    const due = await dueAccounts(outbox, chain, seen)
    seen = due.seen
    return { accounts: [...due.accounts], statements, reads }
  }
  const dispose = async () => {
    await database[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
  return { at, database, [Symbol.asyncDispose]: dispose }
}

test('a block costs a few statements, however many trades wait, and finds those that it holds', async () => {
  await using world = await thousand()
  for (let number = 10; number < 26; number += 1) expect((await world.at(number)).accounts).toHaveLength(1_000)
  await world.at(35)
  const quiet = await world.at(36)
  expect(quiet).toMatchObject({ accounts: [], reads: 1 })
  expect(quiet.statements).toBeLessThan(10)
  const found = await world.at(38, new Set([hashOf(7), hashOf(5_000)]))
  expect(found.accounts).toEqual([accountOf(7)])
  // It is looked at again as long as it waits: the receipt may not be known yet.
  expect(await world.at(39)).toMatchObject({ accounts: [accountOf(7)] })
  await world.database.tables.update(OutgoingEntity, { sender: accountOf(7) }, { state: 'included' })
  expect(await world.at(40)).toMatchObject({ accounts: [] })
})

test('a transaction that stays out of blocks is looked at when it is stuck, ever more seldom, and past its deadline', async () => {
  await using world = await thousand()
  const due: number[] = []
  for (let number = 10; number < 100; number += 1) if ((await world.at(number)).accounts.length > 0) due.push(number)
  expect(due).toEqual([...Array.from({ length: 16 }, (_, index) => 10 + index), 34, 58])
  expect((await world.at(100)).accounts).toHaveLength(1_000)
})

test('all are looked at where the blocks since the last round are not known', async () => {
  await using world = await thousand()
  await world.at(10)
  await world.at(35)
  expect((await world.at(36)).accounts).toEqual([])
  for (const number of [37, 38, 52]) expect((await world.at(number, null)).accounts).toHaveLength(1_000)
  expect((await world.at(53)).accounts).toEqual([])
})

test('work that waits for no block is always due, and without any that does no block is read', async () => {
  await using world = await thousand()
  await world.at(10)
  await world.at(35)
  await world.database.tables.update(OutgoingEntity, { sender: accountOf(3) }, { notified: false })
  await world.database.tables.update(OutgoingEntity, { sender: accountOf(4) }, { state: 'reorganised' })
  expect((await world.at(36)).accounts).toEqual([accountOf(3), accountOf(4)])
  await world.database.tables.update(OutgoingEntity, {}, { state: 'finalized', notified: true })
  expect(await world.at(37)).toMatchObject({ accounts: [], reads: 0 })
})
