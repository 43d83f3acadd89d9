import { existsSync } from 'node:fs'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { type SqlEntityManager, MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { type Database, type DatabaseSettings, sqliteFile } from './database.ts'
import { ormOptions } from './options.ts'

/** Opens an existing database read-only, without migrating it. Throws where there is none. */
export async function openForReading({
  url,
  dataDir,
}: DatabaseSettings): Promise<Pick<Database, 'fork'> & AsyncDisposable> {
  const orm = url === null ? await openFile(sqliteFile(dataDir)) : await openServer(url)
  return {
    fork: () => orm.em.fork() as SqlEntityManager,
    [Symbol.asyncDispose]: async () => await orm.close(true),
  }
}

async function openFile(file: string) {
  if (!existsSync(file))
    throw new Error(`There is no database at ${file}. Set DATA_DIR or DATABASE_URL to an existing one.`)
  const driverOptions = { readonly: true, fileMustExist: true }
  return await SqliteOrm.init({ ...ormOptions('sqlite', false), dbName: file, driverOptions })
}

async function openServer(url: string) {
  const driverOptions = { options: '-c default_transaction_read_only=on' }
  const orm = await PostgresOrm.init({ ...ormOptions('postgresql', false), clientUrl: url, driverOptions })
  try {
    await orm.em.getConnection().execute('select 1')
    return orm
  } catch (cause) {
    await orm.close(true)
    throw new Error('The database at DATABASE_URL does not exist or cannot be read.', { cause })
  }
}
