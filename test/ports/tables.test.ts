import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { UniqueViolation } from '../../src/adapters/storage/connection/statements.ts'
import { RevokedTokenEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { AttemptEntity } from '../../src/adapters/storage/entities/sending.ts'
import { seed, sized } from '../sized.ts'
import { eachDatabase } from './databases.ts'

const attempt = (outgoingId: number, position: number, offeredAt: number | null) => ({
  outgoingId,
  position,
  purpose: position % 2 === 0 ? 'leg' : 'fill',
  raw: `0x${'ab'.repeat(position)}`,
  hash: `0x${outgoingId}_${position}`,
  maxFeePerGas: '1',
  maxPriorityFeePerGas: '2',
  offeredAt,
})

/** Conditions on the columns of an attempt, up to two levels deep. */
const [whole, purpose] = [fc.integer({ min: 0, max: 6 }), fc.constantFrom('leg', 'fill', 'none')]
const simple = fc.oneof(
  fc.record({ outgoingId: whole }),
  fc.record({ position: fc.oneof(fc.record({ $gt: whole }), fc.record({ $lte: whole }), fc.record({ $ne: whole })) }),
  fc.record({ position: fc.record({ $gte: whole, $lt: whole }) }),
  fc.record({
    purpose: fc.oneof(purpose, fc.array(purpose), fc.record({ $nin: fc.array(purpose, { minLength: 1 }) })),
  }),
  fc.record({ offeredAt: fc.oneof(fc.constant(null), whole, fc.record({ $ne: fc.constant(null) }), fc.array(whole)) }),
  fc.record({ hash: fc.record({ $like: fc.constantFrom('0x1%', '%_3', '%') }) }),
)
const condition = fc.oneof(
  simple,
  fc.record({ $or: fc.array(simple, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $not: simple }),
  fc.record({ outgoingId: whole, $and: fc.array(simple, { minLength: 1, maxLength: 2 }) }),
)

eachDatabase('tables', (open) => {
  test('find and count what MikroORM finds, in the same order', async () => {
    const database = await open()
    await database.transaction(async (tables) => {
      for (let id = 1; id <= 5; id++)
        for (let at = 0; at < 5; at++) await tables.insert(AttemptEntity, attempt(id, at, at === 2 ? null : id + at))
    })
    const orderBy = { outgoingId: 'desc', position: 'asc' } as const
    await fc.assert(
      fc.asyncProperty(condition, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }), async (...given) => {
        const [where, limit, offset] = given
        const page = { orderBy, limit, offset }
        const expected = await database.fork().find(AttemptEntity, where, page)
        expect(await database.tables.find(AttemptEntity, where, page)).toEqual(expected.map((row) => ({ ...row })))
        expect(await database.tables.count(AttemptEntity, where)).toBe(
          await database.fork().count(AttemptEntity, where),
        )
      }),
      { numRuns: sized(30, 150), seed },
    )
  })

  test('times are kept to the millisecond, and compared', async () => {
    const { tables } = await open()
    const expiresAt = new Date('2026-03-01T10:00:00.987Z')
    await tables.insert(RevokedTokenEntity, { id: 'one', expiresAt })
    expect(await tables.findOne(RevokedTokenEntity, 'one')).toEqual({ id: 'one', expiresAt })
    expect(await tables.count(RevokedTokenEntity, { expiresAt })).toBe(1)
    expect(await tables.count(RevokedTokenEntity, { expiresAt: { $gt: expiresAt } })).toBe(0)
  })

  test('a row is inserted, changed, left or refused by its key', async () => {
    const { tables } = await open()
    const [early, late] = [new Date(1_000), new Date(2_000)]
    await tables.upsert(RevokedTokenEntity, { id: 'one', expiresAt: early })
    await tables.upsert(RevokedTokenEntity, { id: 'one', expiresAt: late }, 'ignore')
    expect((await tables.findOne(RevokedTokenEntity, 'one'))?.expiresAt).toEqual(early)
    await tables.upsert(RevokedTokenEntity, { id: 'one', expiresAt: late })
    expect((await tables.findOne(RevokedTokenEntity, 'one'))?.expiresAt).toEqual(late)
    await expect(tables.insert(RevokedTokenEntity, { id: 'one', expiresAt: late })).rejects.toThrow(UniqueViolation)
    expect(await tables.update(RevokedTokenEntity, { id: ['one', 'two'] }, { expiresAt: early })).toBe(1)
    expect(await tables.delete(RevokedTokenEntity, { expiresAt: { $lt: late } })).toBe(1)
    expect(await tables.count(RevokedTokenEntity)).toBe(0)
  })

  test('a condition that is undefined, unknown or on no column is an error, not every row', async () => {
    const { tables } = await open()
    const wrong = [{ id: undefined }, { id: { $near: 'one' } }, { name: 'one' }] as unknown as { id: string }[]
    for (const where of wrong) await expect(tables.delete(RevokedTokenEntity, where)).rejects.toThrow()
  })

  test('of transactions that come together each is kept or rolled back by itself, and seen once it is answered', async () => {
    const database = await open()
    const expiresAt = new Date(1_000)
    const one = async (id: number) => {
      await database.transaction(async (tables) => {
        await tables.insert(RevokedTokenEntity, { id: `row ${id}`, expiresAt })
        if (id % 3 === 0) throw new Error(`no ${id}`)
      })
      return await database.tables.count(RevokedTokenEntity, { id: `row ${id}` })
    }
    const results = await Promise.allSettled(Array.from({ length: 30 }, (_, id) => one(id)))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : `${result.reason}`))).toEqual(
      results.map((_, id) => (id % 3 === 0 ? `Error: no ${id}` : 1)),
    )
    expect(await idsOf(database)).toHaveLength(20)
  })

  test('a long series of reads lets the event loop have its turns', async () => {
    const { tables } = await open()
    let turns = 0
    const count = () => {
      turns += 1
      if (turns < 3) setImmediate(count)
    }
    setImmediate(count)
    while (turns < 3) await tables.count(RevokedTokenEntity)
    expect(turns).toBe(3)
  })
})

async function idsOf({ tables }: Database): Promise<string[]> {
  return (await tables.find(RevokedTokenEntity, {}, { fields: ['id'] })).map(({ id }) => id)
}
