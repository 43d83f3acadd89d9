import { join } from 'node:path'
import type { Options } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { entities } from '../entities/all.ts'

export type Dialect = 'sqlite' | 'postgresql'

/** The folder of the migrations of a dialect. */
export function migrationFolder(dialect: Dialect): string {
  return join(import.meta.dirname, '../migrations', dialect)
}

/** Options for the gateway and the migration script. Only the script writes schema snapshots. */
export function ormOptions(dialect: Dialect, snapshot: boolean) {
  const folder = migrationFolder(dialect)
  return {
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    migrations: {
      path: folder,
      pathTs: folder,
      glob: '!(*.d|*.test).ts',
      emit: 'ts',
      silent: true,
      snapshot,
      snapshotName: '.snapshot',
      snapshotOnMigrate: false,
      tableName: 'schema_migration',
      disableForeignKeys: false,
    },
  } satisfies Partial<Options>
}
