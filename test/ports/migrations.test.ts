import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { expect, test } from 'vitest'
import { ormOptions } from '../../src/adapters/storage/options.ts'
import { eachDatabase } from './databases.ts'

test.each(['sqlite', 'postgresql'] as const)('every entity has its migration on %s', async (dialect) => {
  const orm =
    dialect === 'sqlite'
      ? new SqliteOrm({ ...ormOptions(dialect, true), dbName: ':memory:' })
      : new PostgresOrm({ ...ormOptions(dialect, true), dbName: 'unused' })
  expect(await orm.migrator.checkSchema(), 'run "node scripts/make-migration.ts"').toBe(false)
  await orm.close(true)
})

eachDatabase('a migrated database', (open) => {
  test('has the tables that the entities describe', async () => {
    const database = await open()
    const em = database.fork()
    const generator = em.getPlatform().getSchemaGenerator(em.getDriver(), em)
    const options = { wrap: false, dropTables: false }
    expect(await (generator as { getUpdateSchemaSQL(o: object): Promise<string> }).getUpdateSchemaSQL(options)).toBe('')
  })
})
