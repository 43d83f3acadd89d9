import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { type Dialect, migrationFolder, ormOptions } from '../src/adapters/storage/connection/options.ts'

/**
 * Writes a migration for each dialect from what changed in the entities since the last one. It compares with the
 * committed snapshot and needs no database. `--reset` starts over with one initial migration: before a release only.
 */
const { values } = parseArgs({ options: { name: { type: 'string' }, reset: { type: 'boolean', default: false } } })

for (const dialect of ['sqlite', 'postgresql'] as const) {
  if (values.reset) clear(dialect)
  startSnapshot(dialect)
  const orm = ormOf(dialect)
  const { fileName } = await orm.migrator.create(undefined, false, false, values.name)
  console.log(`${dialect}: ${fileName === '' ? 'nothing changed' : fileName}`)
  await orm.close(true)
  format(migrationFolder(dialect))
}

/** Brings what the generator wrote into the style of the rest. */
function format(folder: string): void {
  const biome = join(import.meta.dirname, '..', 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  execFileSync(
    process.execPath,
    [biome, 'format', '--config-path', join(import.meta.dirname, 'lint.json'), '--write', folder],
    {
      stdio: 'ignore',
    },
  )
}

function ormOf(dialect: Dialect) {
  return dialect === 'sqlite'
    ? new SqliteOrm({ ...ormOptions(dialect, true), dbName: ':memory:' })
    : new PostgresOrm({ ...ormOptions(dialect, true), dbName: 'trident' })
}

function clear(dialect: Dialect): void {
  const folder = migrationFolder(dialect)
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
}

/** An empty snapshot makes the first migration a difference like any other. */
function startSnapshot(dialect: Dialect): void {
  const folder = migrationFolder(dialect)
  const snapshot = join(folder, '.snapshot.json')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(snapshot)) writeFileSync(snapshot, JSON.stringify({ name: '', namespaces: [], tables: [] }))
}
